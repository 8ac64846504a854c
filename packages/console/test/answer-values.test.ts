// @module-tag long

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HARD_TEXTS } from '../../gateway/test/kit/hard-texts.ts'
import { formatSum } from '../page/answer/amounts.ts'
import {
  CHART_GROUPS_MAX,
  type ChartPlan,
  createChartGroups,
  figuresOf,
  ticksOf,
} from '../page/answer/chart-figures.ts'
import { createRowTotals } from '../page/answer/sums.ts'
import { createLineReader } from '../page/answer/line-reader.ts'
import { beginningOf, visibleText } from '../page/controls/visible-text.ts'
import { dayOf, PERIODS } from '../page/report/periods.ts'

const cell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...HARD_TEXTS),
  fc.integer(),
  fc.constant(null),
)
const row = fc.array(cell, { minLength: 3, maxLength: 3 })

test.each([
  ['123456.000', 'JPY', '123456'],
  ['1234.500', 'EUR', '1234.50'],
  ['1234.500', 'KWD', '1234.500'],
  ['-1.2345', 'JPY', '-1.2345'],
  ['7.100', 'GOLD', '7.100'],
])('shows the sum %s %s as %s', (sum, currency, shown) => {
  expect(formatSum(sum, currency)).toBe(shown)
})

test.each([
  ['Today', '2026-11-01', '2026-11-02'],
  ['Yesterday', '2026-10-31', '2026-11-01'],
  ['Last 7 days', '2026-10-25', '2026-11-01'],
  ['This month', '2026-11-01', '2026-12-01'],
  ['Last month', '2026-10-01', '2026-11-01'],
  ['This year', '2026-01-01', '2026-11-02'],
] as const)('%s is a period of the calendar of the time zone', (name, dateFrom, dateTo) => {
  // 1 November in Auckland, 31 October in UTC.
  const today = dayOf(new Date('2026-10-31T12:00:00Z'), 'Pacific/Auckland')
  expect(PERIODS[name](today)).toEqual({ dateFrom, dateTo })
})

test('a balance is that of the first or the last row of each account, once all rows are there', () => {
  const money = { kind: 'money', currencyColumn: 'Currency' }
  const columns = [
    { name: 'Account', kind: 'text', title: 'Account' },
    { name: 'Currency', kind: 'text', title: 'Currency' },
    ...['Opening', 'Payable', 'Closing'].map((name) => ({ ...money, name, title: name })),
  ]
  const balances = { opening: 'Opening', closing: 'Closing', account: ['Account', 'Currency'] }
  const totals = { by: ['Currency'], columns: ['Payable'], balances }
  const created = createRowTotals(columns, { totals })
  created.add(['A', 'EUR', '0.00', '5.00', '5.00'])
  created.add(['A', 'EUR', '5.00', '-3.00', '2.00'])
  created.add(['B', 'EUR', '10.00', '1.00', '11.00'])
  created.add(['B', 'JPY', '100', '-100', '0'])
  expect(created.columns).toEqual(['Opening', 'Payable', 'Closing'])
  expect(created.totals(true)).toEqual([
    { group: ['EUR'], rows: 3, sums: ['10.00', '3.00', '13.00'] },
    { group: ['JPY'], rows: 1, sums: ['100', '-100', '0'] },
  ])
  expect(created.totals(false).map(({ sums }) => sums.join())).toEqual([',3.00,', ',-100,'])
  const withoutSeparator = createRowTotals(columns.slice(2), { totals })
  withoutSeparator.add(['0.00', '5.00', '5.00'])
  expect(withoutSeparator.totals(true)).toEqual([])
})

test('rows arrive whole, wherever the chunks of their bytes end', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), fc.integer({ min: 1, max: 40 }), (rows, size) => {
      const objects = rows.map(([a = null, b = null, c = null]) => ({ a, b, c }))
      const bytes = new TextEncoder().encode(
        objects.map((one) => `${JSON.stringify(one)}\n`).join(''),
      )
      const readLines = createLineReader()
      const read: unknown[] = []
      for (let at = 0; at < bytes.length; at += size) {
        readLines(bytes.subarray(at, at + size), (one) => read.push(one) > 0)
      }
      // Half a character is not UTF-8, so the gateway never sends one.
      expect(read).toEqual(objects.map((one) => JSON.parse(wellFormed(JSON.stringify(one)))))
    }),
    { numRuns: 50 },
  )
})

test('shows characters that nobody would see', () => {
  const shown = visibleText('a\u202eb\tc\u0000👩‍👩‍👧')
  expect(shown.map(({ text, isMark }) => (isMark ? `mark:${text}` : text))).toEqual([
    'a',
    'mark:U+202E',
    'b',
    'mark:␉',
    'c',
    'mark:␀',
    '👩‍👩‍👧',
  ])
  expect(beginningOf('ab😀', 3)).toBe('ab…')
})

test.each([
  [0, 0],
  [-30, 17],
  [0, 0.002],
])('an axis from %d to %d has round values around them', (low, high) => {
  const ticks = ticksOf(low, high)
  expect(ticks[0]).toBeLessThanOrEqual(low)
  expect(ticks.at(-1)).toBeGreaterThanOrEqual(high)
  expect(ticks.length).toBeGreaterThan(1)
  expect(ticks.length).toBeLessThan(10)
})

test('draws as many groups as a chart may have', () => {
  const measure = { kind: 'count', column: 'Count' } as const
  const plan: ChartPlan = {
    by: [],
    currency: undefined,
    others: ['Text'],
    days: new Set(),
    measures: [measure],
    columns: ['Text', 'Count'],
  }
  const groups = createChartGroups(plan)
  for (let index = 1; index <= CHART_GROUPS_MAX; index += 1) {
    groups.add([`text ${index}`, index])
  }
  const choice = { measure, grouping: 'Text', currency: '', filters: {} }
  const figures = figuresOf(groups.by('Text'), plan, choice)
  expect(figures).toHaveLength(CHART_GROUPS_MAX)
  const highest = String(CHART_GROUPS_MAX)
  expect(figures[0]).toEqual({ label: `text ${highest}`, value: CHART_GROUPS_MAX, text: highest })
})

function wellFormed(json: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(json))
}
