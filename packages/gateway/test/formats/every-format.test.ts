import { describe, expect, test } from 'vitest'
import { COLUMN_KINDS } from '../../../engine/src/dialect/column-kinds.ts'
import { FORMAT_NAMES } from '../../../formats/src/format/formats.ts'
import { HARD_TEXTS } from '../kit/hard-texts.ts'
import { exportRows } from '../kit/ledger-rows.ts'
import { EVERY_REPORT } from '../kit/sandbox.ts'
import { readContent, readReport, serveReportValues } from './report-values.ts'

/** Reports that together have every kind of column. Fast tests read these. */
const REPORTS = ['transactions-list', 'settlement-details', 'chargeback-ratio']

const values = await serveReportValues()
const { gateway, reportOf, requestOf, askFor, readJsonLines, readTyped } = values

test('the reports of this file have every kind of column', () => {
  const kinds = REPORTS.flatMap((name) => reportOf(name).columns.map(({ kind }) => kind))
  expect(new Set(kinds)).toEqual(new Set(COLUMN_KINDS))
})

test('JSON lines hold what the ledger holds, with every hard text', async () => {
  const { titles, rows } = await readTyped('transactions-list')
  const read = rows.map((row) => Object.fromEntries(titles.map((title, at) => [title, row[at]])))
  const from = Date.parse('2026-09-30T18:15:00Z')
  const ledger = (await exportRows(gateway.engine)).filter(({ created_ms }) => created_ms >= from)
  const expected = ledger.filter(({ created_ms }) => created_ms < from + 31 * 86_400_000)
  expect(expected.length).toBeGreaterThan(HARD_TEXTS.length + 100)
  expect(read).toHaveLength(expected.length)
  const byId = new Map(read.map((row) => [row['Transaction_id'], row]))
  for (const row of expected) {
    const found = byId.get(row.transaction_id) ?? {}
    expect(found['Created_date']).toMatch(/^2026-10-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:45$/)
    expect({ ...found, Created_date: Date.parse(found['Created_date'] ?? '') }).toMatchObject({
      Created_date: row.created_ms,
      Merchant_Name: row.merchant_name,
      Merchant_OID: row.client_order_id,
      Amount: row.amount,
      Currency: row.currency,
      Transaction_type: row.transaction_type,
      Status: row.status,
      Order_description: row.order_description,
      Order_id: expect.stringMatching(/^\d+$/),
    })
  }
})

describe.each(FORMAT_NAMES)('%s', (format) => {
  // A PDF takes longer. The suite of PDF compares every report with its CSV.
  const tags = format === 'PDF' ? ['long'] : []
  for (const file of EVERY_REPORT) {
    const identifier = file.replace('.yaml', '')
    const isFast = format === 'PDF' ? identifier === REPORTS[0] : REPORTS.includes(identifier)
    test(`holds the values of ${identifier}, as a foreign reader reads them`, {
      tags: isFast ? [] : ['long'],
    }, async () => {
      const { content, expected } = await readReport(values, format, identifier)
      expect(content).toEqual(expected)
    })
  }

  test('of a report without rows is a valid file', { tags }, async () => {
    const none = { dateFrom: '2030-01-01', dateTo: '2030-01-02' }
    for (const identifier of ['transactions-list', 'settlement-statement']) {
      const { bytes, counted } = await askFor(requestOf(identifier, none), format)
      expect(counted).toBe('0')
      const titles = reportOf(identifier).columns.map(({ name }) => name)
      const { content, expected } = await readContent(format, bytes, [], { titles, rows: [] })
      expect(content).toEqual(expected)
    }
  })

  test('holds titles that need care, in the order of the request', { tags }, async () => {
    const titles = [
      'a "b"',
      '{x:String}',
      "it's",
      'a\\b',
      'x,y;z',
      'Ärger 漢字 😀',
      'A.B',
      'שלום',
      'one',
    ]
    const { columns } = reportOf('transactions-list')
    const outputReportParameters = titles.map((value, index) => {
      return { type: 'INPUT_TEXT' as const, name: columns[index]?.name ?? '', value }
    })
    const request = { ...requestOf('transactions-list'), outputReportParameters }
    const { rows } = await readJsonLines(request)
    expect(rows.length).toBeGreaterThan(HARD_TEXTS.length)
    const { bytes } = await askFor(request, format)
    const { content, expected } = await readContent(format, bytes, columns, { titles, rows })
    expect(content).toEqual(expected)
  })
})
