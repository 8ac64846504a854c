import type { CatalogueReport as Report, ReportRequest } from '@counterfoil/protocol'
import { beforeAll, expect } from 'vitest'
import { COLUMN_KINDS, type ColumnKind } from '../../../engine/src/dialect/column-kinds.ts'
import type { FormatName } from '../../../formats/src/format/formats.ts'
import { ask, parameters, readCatalogue } from '../kit/ask.ts'
import { type FileContent, FORMAT_READERS, NO_CONTENT } from './format-readers.ts'
import { HARD_TEXTS } from '../kit/hard-texts.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import type { RunningGateway } from '../kit/running-gateway.ts'
import type { Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const PERIOD = { dateFrom: '2026-10-01', dateTo: '2026-11-01', timezone: 'Asia/Kathmandu' }
const AMOUNTS = ['0', '1', '1.5', '1.234', '-5', '-0.001', '9007199254740993.999', '0.1', '12.30']
const FIRST_ID = 9_223_372_036_854_770_000n

/** The reports of a gateway whose ledger has hard texts and amounts, and the values of each report. */
export interface ReportValues {
  readonly gateway: RunningGateway
  readonly reportOf: (identifier: string) => Report
  /** Returns a request for every column of a report, also the optional ones. */
  readonly requestOf: (
    identifier: string,
    change?: Readonly<Record<string, string>>,
  ) => ReportRequest
  /** Asks for a report, and returns its file and the number of its rows. */
  readonly askFor: (request: ReportRequest, format: FormatName) => Promise<AskedFile>
  /** Reads the typed values of a request. */
  readonly readJsonLines: (request: ReportRequest) => Promise<FileContent>
  /** Reads the typed values of a report. No test changes the ledger, so one request gives them to every format. */
  readonly readTyped: (identifier: string) => Promise<FileContent>
}

/** The file of a report, and what its trailer counts. */
interface AskedFile {
  readonly bytes: Buffer
  readonly counted: string
}

/** Serves a ledger with hard texts and amounts until the last test of the file has run. */
export async function serveReportValues(reportFiles: readonly string[]): Promise<ReportValues> {
  const { sandbox, gateway } = await serveSandbox([6000, reportFiles])
  /** Every report, and a login that may ask for it. */
  const reports = new Map<string, { readonly report: Report; readonly login: Login }>()
  beforeAll(async () => {
    await insertRows(gateway.engine, hardRows())
    for (const login of [sandbox.logins.merchant, sandbox.logins.operator]) {
      const catalogue = await readCatalogue(gateway, login)
      for (const report of catalogue.reports) {
        reports.set(report.reportIdentifier, { report, login })
      }
    }
  })
  const reportOf = (identifier: string): Report => {
    const found = reports.get(identifier)
    if (!found) throw new Error(`expected the report ${identifier}`)
    return found.report
  }
  const askFor = async (request: ReportRequest, reportFormat: FormatName): Promise<AskedFile> => {
    const { login = sandbox.logins.operator } = reports.get(request.reportIdentifier) ?? {}
    const answer = await ask(gateway, login, { ...request, reportFormat })
    const counted = answer.trailers['counterfoil-rows']
    if (counted === undefined) throw new Error(answer.text.slice(0, 500))
    return { bytes: answer.bytes, counted }
  }
  const requestOf: ReportValues['requestOf'] = (identifier, change = {}) => {
    return requestFor(reportOf(identifier), { ...PERIOD, ...change })
  }
  const readJsonLines = async (request: ReportRequest): Promise<FileContent> => {
    return await FORMAT_READERS.JSONL.read((await askFor(request, 'JSONL')).bytes, NO_CONTENT)
  }
  const typed = new Map<string, Promise<FileContent>>()
  const readTyped = (identifier: string): Promise<FileContent> => {
    const reading = typed.get(identifier) ?? readJsonLines(requestOf(identifier))
    typed.set(identifier, reading)
    return reading
  }
  return { gateway, reportOf, requestOf, askFor, readJsonLines, readTyped }
}

/** What a file holds, and what it should hold. */
interface Compared {
  readonly content: FileContent
  readonly expected: FileContent
}

/** Reads a file, to compare it with its titles and with the values of the JSON lines. */
export async function readContent(
  format: FormatName,
  file: Uint8Array,
  columns: Report['columns'],
  { titles, rows: values }: FileContent,
): Promise<Compared> {
  const { read, cellOf } = FORMAT_READERS[format]
  const kinds = columns.map(({ kind }) => kindOf(kind))
  const rows = values.map((row) => row.map((value, at) => cellOf(kinds[at] ?? 'text', value)))
  const expected = { titles, rows }
  return { content: await read(file, expected), expected }
}

/** Reads the file of a report that has rows, to compare it with the values of the report's JSON lines. */
export async function readReport(
  values: ReportValues,
  format: FormatName,
  identifier: string,
): Promise<Compared> {
  const { columns, formats } = values.reportOf(identifier)
  expect(formats).toContain(format)
  const { rows } = await values.readTyped(identifier)
  expect(rows.length).toBeGreaterThan(0)
  const { bytes, counted } = await values.askFor(values.requestOf(identifier), format)
  expect(counted).toBe(String(rows.length))
  return await readContent(format, bytes, columns, {
    titles: columns.map(({ name }) => name),
    rows,
  })
}

function hardRows() {
  return HARD_TEXTS.map((description, index) => ({
    id: FIRST_ID + BigInt(index),
    createdAt: `2026-10-31 18:${String(10 + (index % 50))}:59.00${index % 10}`,
    orderId: description.slice(0, 50),
    description: index % 10 === 9 ? null : description,
    amount: AMOUNTS[index % AMOUNTS.length] ?? '',
  }))
}

function requestFor(
  { reportIdentifier, example, columns }: Report,
  values: Readonly<Record<string, string>>,
): ReportRequest {
  const { inputReportParameters: inputs } = parameters(values)
  const others = (example.inputReportParameters ?? []).filter(({ name }) => {
    return !Object.hasOwn(values, name)
  })
  return {
    reportIdentifier,
    inputReportParameters: [...others, ...inputs],
    outputReportParameters: columns.map(({ name }) => name),
  }
}

function kindOf(name: string): ColumnKind {
  const kind = COLUMN_KINDS.find((known) => known === name)
  if (!kind) throw new Error(`expected a kind of columns, got ${name}`)
  return kind
}
