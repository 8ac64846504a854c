import { execFileSync } from 'node:child_process'
import type { CatalogueReport as Report, ReportRequest } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { COLUMN_KINDS, type ColumnKind } from '../../../engine/src/dialect/column-kinds.ts'
import { FORMAT_NAMES, type FormatName } from '../../../formats/src/format/formats.ts'
import { isInstalled } from '../../../signing/test/is-installed.ts'
import { ask, parameters, readCatalogue } from '../kit/ask.ts'
import { HARD_TEXTS } from '../kit/hard-texts.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { EVERY_REPORT, type Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { LATEST } from '../oracles/ledger-sql.ts'
import { readTexts } from '../oracles/reports-kit.ts'
import { type FileContent, FORMAT_READERS, NO_CONTENT } from './format-readers.ts'

/** Reports that together have every kind of column. */
const REPORTS = ['transactions-list', 'settlement-details', 'chargeback-ratio']
const IDENTIFIERS = EVERY_REPORT.map((file) => file.replace('.yaml', ''))

const PERIOD = { dateFrom: '2026-10-01', dateTo: '2026-11-01', timezone: 'Asia/Kathmandu' }
const AMOUNTS = ['0', '1', '1.5', '1.234', '-5', '-0.001', '9007199254740993.999', '0.1', '12.30']
const FIRST_ID = 9_223_372_036_854_770_000n

const { sandbox, gateway } = await serveSandbox([6000, EVERY_REPORT])
await insertRows(
  gateway.engine,
  HARD_TEXTS.map((description, index) => ({
    id: FIRST_ID + BigInt(index),
    createdAt: `2026-10-31 18:${String(10 + (index % 50))}:59.00${index % 10}`,
    orderId: description.slice(0, 50),
    description: index % 10 === 9 ? null : description,
    amount: AMOUNTS[index % AMOUNTS.length] ?? '',
  })),
)

/** Every report, and a login that may ask for it. */
const reports = new Map<string, { readonly report: Report; readonly login: Login }>()
for (const login of [sandbox.logins.merchant, sandbox.logins.operator]) {
  for (const report of (await readCatalogue(gateway, login)).reports) {
    reports.set(report.reportIdentifier, { report, login })
  }
}

function reportOf(identifier: string): Report {
  const found = reports.get(identifier)
  if (!found) throw new Error(`expected the report ${identifier}`)
  return found.report
}

/** Asks for a report, and returns its file and the number of its rows. */
async function askFor(request: ReportRequest, reportFormat: FormatName) {
  const { login = sandbox.logins.operator } = reports.get(request.reportIdentifier) ?? {}
  const answer = await ask(gateway, login, { ...request, reportFormat })
  const counted = answer.trailers['counterfoil-rows']
  if (counted === undefined) throw new Error(answer.text.slice(0, 500))
  return { bytes: answer.bytes, counted }
}

/** Returns a request for every column of a report, also the optional ones. */
function requestOf(
  reportIdentifier: string,
  change: Readonly<Record<string, string>> = {},
): ReportRequest {
  const { example, columns } = reportOf(reportIdentifier)
  const values = { ...PERIOD, ...change }
  const others = (example.inputReportParameters ?? []).filter(({ name }) => {
    return !Object.hasOwn(values, name)
  })
  return {
    reportIdentifier,
    inputReportParameters: [...others, ...parameters(values).inputReportParameters],
    outputReportParameters: columns.map(({ name }) => name),
  }
}

async function readJsonLines(request: ReportRequest): Promise<FileContent> {
  return await FORMAT_READERS.JSONL.read((await askFor(request, 'JSONL')).bytes, NO_CONTENT)
}

const typed = new Map<string, Promise<FileContent>>()

/** Reads the typed values of a report. No test changes the ledger, so one request gives them to every format. */
function readTyped(identifier: string): Promise<FileContent> {
  const reading = typed.get(identifier) ?? readJsonLines(requestOf(identifier))
  typed.set(identifier, reading)
  return reading
}

/** Reads a file, to compare it with its titles and with the values of the JSON lines. */
async function readContent(
  format: FormatName,
  file: Uint8Array,
  columns: Report['columns'],
  { titles, rows: values }: FileContent,
) {
  const { read, cellOf } = FORMAT_READERS[format]
  const kinds = columns.map(({ kind }) => kind as ColumnKind)
  const rows = values.map((row) => row.map((value, at) => cellOf(kinds[at] ?? 'text', value)))
  const expected = { titles, rows }
  return { content: await read(file, expected), expected }
}

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

  for (const identifier of IDENTIFIERS) {
    const isQuick = format === 'PDF' ? identifier === REPORTS[0] : REPORTS.includes(identifier)
    const options = { tags: isQuick ? [] : ['long'] }
    test(`holds the values of ${identifier}, as a foreign reader reads them`, options, async () => {
      const { columns, formats } = reportOf(identifier)
      expect(formats).toContain(format)
      const { rows } = await readTyped(identifier)
      expect(rows.length).toBeGreaterThan(0)
      const { bytes, counted } = await askFor(requestOf(identifier), format)
      expect(counted).toBe(String(rows.length))
      const titles = columns.map(({ name }) => name)
      const { content, expected } = await readContent(format, bytes, columns, { titles, rows })
      expect(content).toEqual(expected)
    })
  }

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
