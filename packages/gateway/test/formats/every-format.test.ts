import type { ReportRequest } from '@counterfoil/protocol'
import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { COLUMN_KINDS, type ColumnKind } from '../../src/column-kinds.ts'
import { FORMAT_NAMES, type FormatName } from '../../src/formats/formats.ts'
import { ask, parameters } from '../kit/ask.ts'
import { catalogueSchema } from '../kit/catalogue-schemas.ts'
import { type FileContent, FORMAT_READERS, NO_CONTENT } from '../kit/format-readers.ts'
import { HARD_TEXTS } from '../kit/hard-texts.ts'
import { exportRows, insertRows } from '../kit/ledger-rows.ts'
import { EVERY_REPORT, type Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const ZONE = 'Asia/Kathmandu'
const PERIOD = { dateFrom: '2026-10-01', dateTo: '2026-11-01', timezone: ZONE }
const AMOUNTS = ['0', '1', '1.5', '1.234', '-5', '-0.001', '9007199254740993.999', '0.1', '12.30']
const FIRST_ID = 9_223_372_036_854_770_000n

type Report = z.output<typeof catalogueSchema>['reports'][number]

const { sandbox, gateway } = await serveSandbox([6000, EVERY_REPORT])
/** Every report, and a login that may ask for it. */
const reports = new Map<string, { readonly report: Report; readonly login: Login }>()
beforeAll(async () => {
  const rows = HARD_TEXTS.map((description, index) => ({
    id: FIRST_ID + BigInt(index),
    createdAt: `2026-10-31 18:${String(10 + (index % 50))}:59.00${index % 10}`,
    orderId: description.slice(0, 50),
    description: index % 10 === 9 ? null : description,
    amount: AMOUNTS[index % AMOUNTS.length] ?? '',
  }))
  await insertRows(gateway.engine, rows)
  const asked = { sandbox, reportUrl: `${gateway.reportUrl}/catalogue` }
  for (const login of [sandbox.logins.merchant, sandbox.logins.operator]) {
    const catalogue = catalogueSchema.parse(JSON.parse((await ask(asked, login, {})).text))
    for (const report of catalogue.reports) reports.set(report.reportIdentifier, { report, login })
  }
})

function reportOf(identifier: string): Report {
  const found = reports.get(identifier)
  if (!found) throw new Error(`expected the report ${identifier}`)
  return found.report
}

/** Asks for every column of a report, also the optional ones. */
function requestOf(identifier: string, period: Readonly<Record<string, string>>): ReportRequest {
  const { example, columns } = reportOf(identifier)
  const { inputReportParameters: inputs } = parameters(period)
  const others = (example['inputReportParameters'] as typeof inputs).filter(({ name }) => {
    return !Object.hasOwn(period, name)
  })
  return {
    reportIdentifier: identifier,
    inputReportParameters: [...others, ...inputs],
    outputReportParameters: columns.map(({ name }) => name),
  }
}

async function askFor(
  request: ReportRequest,
  reportFormat: FormatName,
): Promise<{ readonly bytes: Buffer; readonly counted: string | undefined }> {
  const { login = sandbox.logins.operator } = reports.get(request.reportIdentifier) ?? {}
  const answer = await ask(gateway, login, { ...request, reportFormat })
  if (answer.trailers['counterfoil-rows'] === undefined) throw new Error(answer.text.slice(0, 500))
  return { bytes: answer.bytes, counted: answer.trailers['counterfoil-rows'] }
}

/** The typed values of each report in the period. No test changes the ledger, so one request gives them to every format. */
const typed = new Map<string, Promise<FileContent>>()

function readTyped(identifier: string): Promise<FileContent> {
  const reading = typed.get(identifier) ?? readJsonLines(requestOf(identifier, PERIOD))
  typed.set(identifier, reading)
  return reading
}

async function readJsonLines(request: ReportRequest): Promise<FileContent> {
  return await FORMAT_READERS.JSONL.read((await askFor(request, 'JSONL')).bytes, NO_CONTENT)
}

function kindOf(name: string): ColumnKind {
  const kind = COLUMN_KINDS.find((known) => known === name)
  if (!kind) throw new Error(`expected a kind of columns, got ${name}`)
  return kind
}

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
    const found = byId.get(String(row.transaction_id)) ?? {}
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
  const { read, cellOf } = FORMAT_READERS[format]

  /** Compares a file with its titles and with the values of the JSON lines. */
  async function expectContent(
    file: Uint8Array,
    titles: readonly string[],
    kinds: readonly ColumnKind[],
    values: FileContent['rows'],
  ): Promise<void> {
    const rows = values.map((row) => row.map((value, at) => cellOf(kinds[at] ?? 'text', value)))
    expect(await read(file, { titles, rows })).toEqual({ titles, rows })
  }

  test.each(EVERY_REPORT.map((file) => file.replace('.yaml', '')))(
    'holds the values of %s, as a foreign reader reads them',
    async (identifier) => {
      const { columns, formats } = reportOf(identifier)
      expect(formats).toContain(format)
      const request = requestOf(identifier, PERIOD)
      const kinds = columns.map(({ kind }) => kindOf(kind))
      const titles = columns.map(({ name }) => name)
      const { rows } = await readTyped(identifier)
      expect(rows.length).toBeGreaterThan(0)
      const { bytes, counted } = await askFor(request, format)
      expect(counted).toBe(String(rows.length))
      await expectContent(bytes, titles, kinds, rows)
    },
  )

  test('of a report without rows is a valid file', async () => {
    const none = { ...PERIOD, dateFrom: '2030-01-01', dateTo: '2030-01-02' }
    for (const identifier of ['transactions-list', 'settlement-statement']) {
      const { bytes, counted } = await askFor(requestOf(identifier, none), format)
      expect(counted).toBe('0')
      const titles = reportOf(identifier).columns.map(({ name }) => name)
      await expectContent(bytes, titles, [], [])
    }
  })

  test('holds titles that need care, in the order of the request', async () => {
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
    const request = { ...requestOf('transactions-list', PERIOD), outputReportParameters }
    const { rows } = await readJsonLines(request)
    expect(rows.length).toBeGreaterThan(HARD_TEXTS.length)
    const kinds = columns.map(({ kind }) => kindOf(kind))
    await expectContent((await askFor(request, format)).bytes, titles, kinds, rows)
  })
})
