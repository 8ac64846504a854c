import { expect, test } from 'vitest'
import type { FileChart, LayoutColumn } from '../../layouts.ts'
import { chartCounter } from './chart-figures.ts'

const column: LayoutColumn = { title: 'any', kind: 'text', sql: 'any' }
const CHARTS = {
  days: { chart: 'days', title: 'Days', day: column, amount: column, currency: column },
  approval: { chart: 'approval', title: 'Approval', by: column, status: column, count: column },
  shares: { chart: 'shares', title: 'Shares', by: column, count: column },
} as const satisfies Record<string, FileChart>

function figuresOf(chart: FileChart, rows: readonly (readonly string[])[]) {
  const counter = chartCounter(chart)
  for (const row of rows) counter.add(row)
  return counter.figures()
}

test('sums amounts exactly, by day and currency', () => {
  const rows = [
    ['2026-10-01', 'USD', '0.1'],
    ['2026-10-01', 'EUR', '9007199254740993.999'],
    ['2026-10-01', 'EUR', '0.002'],
    ['2026-10-02', 'EUR', '-5'],
    ['', 'EUR', '7'],
  ]
  expect(figuresOf(CHARTS.days, rows)).toEqual({
    chart: 'days',
    currencies: [
      {
        currency: 'EUR',
        days: new Map([
          ['2026-10-01', 90_071_992_547_409_940_010n],
          ['2026-10-02', -50_000n],
        ]),
        otherDays: 70_000n,
      },
      { currency: 'USD', days: new Map([['2026-10-01', 1000n]]), otherDays: 0n },
    ],
    otherRows: 0,
  })
})

test('keeps a bounded number of currencies, days and categories', () => {
  const days = Array.from({ length: 500 }, (_, at) => [`day ${at}`, 'EUR', '1'])
  const currencies = Array.from({ length: 30 }, (_, at) => ['2026-10-01', `C${at}`, '1'])
  const figures = figuresOf(CHARTS.days, [...days, ...currencies])
  if (figures.chart !== 'days') throw new Error('expected days')
  expect(figures.currencies).toHaveLength(16)
  expect(figures.otherRows).toBe(15)
  const euros = figures.currencies.find(({ currency }) => currency === 'EUR')
  expect([euros?.days.size, euros?.otherDays]).toEqual([400, 1_000_000n])

  const shares = figuresOf(
    CHARTS.shares,
    Array.from({ length: 20 }, (_, at) => [`name ${String(at).padStart(2, '0')}`, '2']),
  )
  if (shares.chart === 'days') throw new Error('expected categories')
  expect(shares.categories).toHaveLength(17)
  expect(shares.categories.at(-1)).toEqual({ name: 'Other', part: 8n, whole: 40n })
})

test('counts approved payments among the decided ones', () => {
  const rows = [
    ['sale', 'approved', '3'],
    ['sale', 'declined', '1'],
    ['sale', 'processing', '10'],
    ['', 'error', '2'],
    ['sale', '', '5'],
  ]
  expect(figuresOf(CHARTS.approval, rows)).toEqual({
    chart: 'approval',
    categories: [
      { name: '(none)', part: 0n, whole: 2n },
      { name: 'sale', part: 3n, whole: 4n },
    ],
  })
})
