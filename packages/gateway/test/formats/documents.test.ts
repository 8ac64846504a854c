// @module-tag long

import { readXlsx } from 'hucre/xlsx'
import type { ReportRequest } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { LIMITS } from '../../../common/src/limits.ts'
import { readPdf } from '../../../formats/test/kit/read-pdf.ts'
import { ask, LIST, parameters } from '../kit/ask.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { readPdfRows, ungrouped } from '../kit/read-pdf-rows.ts'
import type { Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** What PDF and XLSX show to people. */

const { sandbox, gateway } = await serveSandbox([
  2000,
  [
    'transactions-list.yaml',
    'settlement-details.yaml',
    'settlement-statement.yaml',
    'order-reconciliation.yaml',
  ],
])
const { operator, merchant } = sandbox.logins
const OCTOBER = parameters({ dateFrom: '2026-10-01', dateTo: '2026-11-01' })

const AMOUNT = z.coerce.number()

const NET = z.object({ Settlement_currency: z.string(), Net_amount: AMOUNT })

/** Returns the lines of a PDF, or of all sheets of a workbook. */
async function linesOf(
  reportFormat: 'PDF' | 'XLSX',
  request: ReportRequest,
  login: Login = operator,
): Promise<readonly (readonly string[])[]> {
  const { status, bytes } = await ask(gateway, login, { ...OCTOBER, ...request, reportFormat })
  expect(status).toBe(200)
  if (reportFormat === 'PDF') return (await readPdfRows(bytes)).flat()
  const { sheets } = await readXlsx(Uint8Array.from(bytes))
  return sheets.flatMap(({ rows }) =>
    rows.map((row) => row.map((value) => String(value ?? '')).filter(Boolean)),
  )
}

/** A title of a PDF is in words. */
const underscored = (title: string): string => title.replaceAll(' ', '_')

test.each(['PDF', 'XLSX'] as const)(
  '%s has the titles of the request in its totals',
  async (format) => {
    const lines = await linesOf(format, {
      reportIdentifier: 'transactions-list',
      outputReportParameters: [
        { type: 'INPUT_TEXT', name: 'Amount', value: 'Betrag' },
        { type: 'INPUT_TEXT', name: 'Currency', value: 'Währung' },
      ],
    })
    const titles = lines.filter((line) => line.includes('Betrag') && line.includes('Rows'))
    expect(titles[0]?.map(underscored)).toEqual([
      'Währung',
      'Transaction_type',
      'Status',
      'Dispute_stage',
      'Rows',
      'Betrag',
    ])
  },
)

test.each(['PDF', 'XLSX'] as const)('%s writes all days in one format', async (format) => {
  const asked = {
    reportIdentifier: 'transactions-list',
    outputReportParameters: ['Created_date', 'Date_of_report'],
  }
  const german = { type: 'INPUT_TEXT' as const, name: 'dateFormat', value: 'DD.MM.YYYY' }
  const iso = (await linesOf(format, asked)).flat().join(' ')
  expect(iso).toMatch(/Period 2026-10-01 to 2026-10-31/)
  expect(iso).not.toMatch(/\d\d\.\d\d\.\d{4}/)
  // The cells of a sheet hold numbers. Its own suite reads their format.
  if (format === 'XLSX') return
  const request = { ...asked, configurationReportParameters: [german] }
  const dotted = (await linesOf(format, request)).flat().join(' ')
  expect(dotted).toMatch(/Period 01\.10\.2026 to 31\.10\.2026/)
  expect(dotted).not.toMatch(/\d{4}-\d\d-\d\d/)
})

test.each(['PDF', 'XLSX'] as const)(
  '%s has a note about its figures, if it has rows',
  async (format) => {
    const request = { reportIdentifier: 'transactions-list' }
    const note = /Note Declined transactions are among the rows/
    expect((await linesOf(format, request)).flat().join(' ')).toMatch(note)
    const none = { ...request, ...parameters({ dateFrom: '2030-01-01', dateTo: '2030-01-02' }) }
    const lines = (await linesOf(format, none)).flat()
    expect(lines).toContain('2030-01-01, by the created date')
    expect(lines.join(' ')).not.toMatch(note)
  },
)

test.each(['PDF', 'XLSX'] as const)('%s sums signed amounts by currency', async (format) => {
  const { text } = await ask(gateway, operator, {
    ...OCTOBER,
    reportIdentifier: 'settlement-details',
    reportFormat: 'JSONL',
  })
  const rows = text
    .trim()
    .split('\n')
    .map((line) => NET.parse(JSON.parse(line)))
  const currencies = Map.groupBy(rows, ({ Settlement_currency: currency }) => currency)
  const sorted = [...currencies].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const nets = sorted.map(([currency, own]) => {
    return [currency, own.length, own.reduce((sum, { Net_amount: net }) => sum + net, 0).toFixed(4)]
  })
  const lines = await linesOf(format, { reportIdentifier: 'settlement-details' })
  const start = lines.findIndex(([first]) => first === 'Sums by currency')
  const end = lines.findIndex(([first]) => first === 'Totals')
  const written = lines
    .slice(start, end)
    .filter(([first = '']) => /^[A-Z]{3}$/.test(first))
    .map((line) => line.map(ungrouped))
    .map((line) => [line[0], Number(line[1]), Number(line.at(-1)).toFixed(4)])
  expect(nets.length).toBeGreaterThan(3)
  expect(written).toEqual(nets)
})

const STATEMENT = z.object({
  Merchant_id: z.string(),
  Project_id: z.string(),
  Currency: z.string(),
  Opening_balance: AMOUNT,
  Closing_balance: AMOUNT,
})

test.each(['PDF', 'XLSX'] as const)('%s never sums a balance over days', async (format) => {
  const asked = {
    reportIdentifier: 'settlement-statement',
    outputReportParameters: Object.keys(STATEMENT.shape),
  }
  const { text } = await ask(gateway, operator, { ...OCTOBER, ...asked, reportFormat: 'JSONL' })
  const rows = text
    .trim()
    .split('\n')
    .map((line) => STATEMENT.parse(JSON.parse(line)))
  const accounts = Map.groupBy(rows, (row) => {
    return [row.Merchant_id, row.Project_id, row.Currency].join(' ')
  })
  const ends = [...accounts.values()].map((own) => ({
    currency: own[0]?.Currency ?? '',
    opening: own[0]?.Opening_balance ?? 0,
    closing: own.at(-1)?.Closing_balance ?? 0,
  }))
  const expected = [...Map.groupBy(ends, ({ currency }) => currency)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, own]) => [
      currency,
      own.reduce((sum, { opening }) => sum + opening, 0).toFixed(4),
      own.reduce((sum, { closing }) => sum + closing, 0).toFixed(4),
    ])
  expect(accounts.size).toBeLessThan(rows.length)
  expect(accounts.size).toBeGreaterThan(expected.length)
  const lines = await linesOf(format, asked)
  const start = lines.findIndex(([first]) => first === 'Totals')
  const totals = lines.slice(start).filter(([first = '']) => !first.startsWith('Page '))
  // A row of the PDF has several lines.
  const texts = totals
    .flat()
    .map(ungrouped)
    .filter((cell) => /^(?:[A-Z]{3}|-?[\d.]+)$/.test(cell))
  const written = texts
    .join(' ')
    .split(/ (?=[A-Z])/)
    .map((group) => group.split(' '))
    .map((row) => [row[0], ...row.slice(-2).map((amount) => Number(amount).toFixed(4))])
  expect(written).toEqual(expected)
})

describe('a file holds no card number that the caller sends:', () => {
  const NUMBER = '4111 1111 1111 1111'
  const REQUEST = {
    reportIdentifier: 'order-reconciliation',
    reportName: NUMBER,
    ...parameters({ dateFrom: '2026-10-01', dateTo: '2026-11-01', clientOrderIds: NUMBER }),
  }

  test.each(['PDF', 'XLSX'] as const)('%s', async (format) => {
    const text = (await linesOf(format, REQUEST, merchant)).join('\n')
    expect(text).toMatch(/Client order ids[ ,]\[masked\]/)
    expect(text).not.toMatch(/4111 ?1111|1111 1111/)
  })

  test.each(['PDF', 'PARQUET'])('the metadata of %s', async (reportFormat) => {
    const { bytes, headers } = await ask(gateway, merchant, { ...REQUEST, reportFormat })
    expect(headers['content-disposition']).toContain('[masked]_')
    // Offsets in a PDF may hold four of its digits by chance.
    expect(bytes.toString('latin1')).not.toMatch(/4111 ?1111|1111 1111/)
  })
})

/** Joins texts without their spaces. */
const joined = (texts: readonly string[]): string => texts.join('').replaceAll(/\s/g, '')

test('a text beyond the limit ends in a mark, and a text of exactly the limit is complete', async () => {
  const max = LIMITS.pdfTextLengthMax
  // A character of two UTF-16 units counts as one.
  const characters = Array.from('\u{1d11e}é'.repeat(15_000))
  await insertRows(
    gateway.engine,
    [max, max + 1, 15_000].map((length, index) => ({
      id: 9_223_372_036_854_771_000n + BigInt(index),
      createdAt: `2026-11-02 12:00:0${index}.000`,
      description: characters.slice(0, length).join(''),
    })),
  )
  const answer = await ask(gateway, operator, {
    ...LIST,
    ...parameters({ dateFrom: '2026-11-02', dateTo: '2026-11-03' }),
    outputReportParameters: ['Order_description'],
    reportFormat: 'PDF',
  })
  expect(answer.trailers['counterfoil-rows']).toBe('3')
  const { pages } = await readPdf(answer.bytes)
  const body = pages.flatMap(({ texts }) => texts.slice(0, -3))
  const shown = joined(body).replaceAll('Order_description', '')
  expect(shown.match(/é…\[cut\]/g)).toHaveLength(2)
  expect(shown.match(/é/g)).toHaveLength((3 * max) / 2)
})
