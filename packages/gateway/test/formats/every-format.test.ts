import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { COLUMN_KINDS } from '../../../engine/src/dialect/column-kinds.ts'
import { FORMAT_NAMES } from '../../../formats/src/format/formats.ts'
import { HARD_TEXTS } from '../kit/hard-texts.ts'
import { LATEST } from '../oracles/ledger-sql.ts'
import { readTexts } from '../oracles/reports-kit.ts'
import { isInstalled } from '../../../signing/test/is-installed.ts'
import { FORMAT_READERS, NO_CONTENT } from './format-readers.ts'
import { readContent, readReport, serveReportValues } from './report-values.ts'

/** Reports that together have every kind of column. */
const REPORTS = ['transactions-list', 'settlement-details', 'chargeback-ratio']

const values = await serveReportValues(REPORTS.map((name) => `${name}.yaml`))
const { gateway, reportOf, requestOf, askFor, readJsonLines, readTyped } = values

test('the reports of this file have every kind of column', () => {
  const kinds = REPORTS.flatMap((name) => reportOf(name).columns.map(({ kind }) => kind))
  expect(new Set(kinds)).toEqual(new Set(COLUMN_KINDS))
})

test('JSON lines hold what the ledger holds, with every hard text', async () => {
  const { titles, rows } = await readTyped('transactions-list')
  const read = rows.map((row) => Object.fromEntries(titles.map((title, at) => [title, row[at]])))
  const from = Date.parse('2026-09-30T18:15:00Z')
  const expected = await readTexts(
    gateway,
    `SELECT transaction_id AS Transaction_id, toUnixTimestamp64Milli(created_at) AS Created_date,
      merchant AS Merchant_Name, client_order_id AS Merchant_OID, toString(amount) AS Amount, currency AS Currency,
      transaction_type AS Transaction_type, status AS Status, ifNull(order_description, '') AS Order_description,
      order_id AS Order_id
    FROM ${LATEST} WHERE Created_date >= ${from} AND Created_date < ${from + 31 * 86_400_000}`,
  )
  expect(expected.length).toBeGreaterThan(HARD_TEXTS.length + 100)
  const printed = read.map((row) => {
    expect(row['Created_date']).toMatch(/^2026-10-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:45$/)
    const Created_date = String(Date.parse(row['Created_date'] ?? ''))
    return [
      row['Transaction_id'],
      { ...row, Created_date, Order_description: row['Order_description'] ?? '' },
    ]
  })
  expect(Object.fromEntries(printed)).toMatchObject(
    Object.fromEntries(expected.map((row) => [row['Transaction_id'], row])),
  )
  expect(read).toHaveLength(expected.length)
})

const PROGRAM = `import csv, io, json, sys
csv.field_size_limit(10**9)
text = sys.stdin.buffer.read().decode('utf-8')
print(json.dumps(list(csv.reader(io.StringIO(text, newline=''), strict=True))))`

test('Python reads the CSV as the parser of npm does', async ({ skip }) => {
  skip(!isInstalled('python3'), 'python3 is not installed')
  const { bytes } = await askFor(requestOf('transactions-list'), 'CSV')
  const options = { input: bytes, encoding: 'utf8', maxBuffer: 2 ** 28 } as const
  const [titles, ...rows] = JSON.parse(execFileSync('python3', ['-c', PROGRAM], options))
  expect({ titles, rows }).toEqual(await FORMAT_READERS.CSV.read(bytes, NO_CONTENT))
  // Every field is quoted, and lines end in CRLF.
  const line = new RegExp(`(?:"(?:[^"]|"")*"(?:,|\\r\\n)){${titles.length}}`, 'gy')
  expect(bytes.toString().match(line)).toHaveLength(rows.length + 1)
})

describe.each(FORMAT_NAMES)('%s', (format) => {
  // A PDF takes longer.
  const tags = format === 'PDF' ? ['long'] : []

  test.each(format === 'PDF' ? REPORTS.slice(0, 1) : REPORTS)(
    'holds the values of %s, as a foreign reader reads them',
    async (identifier) => {
      const { content, expected } = await readReport(values, format, identifier)
      expect(content).toEqual(expected)
    },
  )

  test('of a report without rows is a valid file', { tags }, async () => {
    const none = { dateFrom: '2030-01-01', dateTo: '2030-01-02' }
    for (const identifier of REPORTS) {
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
