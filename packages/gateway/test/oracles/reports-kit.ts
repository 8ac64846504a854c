import type { InputParameter, ReportRequest } from '@counterfoil/protocol'
import { parse } from 'csv-parse/sync'
import { afterAll, expect } from 'vitest'
import * as z from 'zod'
import type { Role } from '../../../common/src/roles.ts'
import { dropMonthsBefore } from '../kit/drop-months.ts'
import { type Answer, ask, problemIn } from '../kit/ask.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { EVERY_REPORT, type Login, makeSandbox } from '../kit/sandbox.ts'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { type Filters, type Inputs, isSeenBy, latest } from './ledger-sql.ts'

/** A gateway on a ledger that is the same in every run. */
export interface ServedLedger {
  readonly gateway: RunningGateway
  readonly logins: RunningGateway['sandbox']['logins']
  /** Runs a query on the ledger. Its values become texts, NULL an empty one. */
  readonly read: (sql: string) => Promise<readonly ReportRow[]>
}

// Older versions of some transactions. A report that read them would be wrong in every column.
const FORMER_VERSIONS = `
INSERT INTO transactions
SELECT * REPLACE (
  row_version - 1 AS row_version, amount + 1000 AS amount, 'approved' AS status, 'sale' AS transaction_type,
  toInt32(merchant_id) % 5 + 1 AS manager_id, gateway_fee + 1000 AS gateway_fee, net_amount + 1000 AS net_amount
)
FROM transactions
WHERE toInt64(transaction_id) % 7 = 0`

/**
 * Generates a ledger, drops its first months, inserts rows of a test, and serves it until the last test of the file has
 * run.
 */
export async function serveLedger(
  inserts: readonly string[] = [],
  firstMonth?: string,
): Promise<ServedLedger> {
  const sandbox = await makeSandbox(12_000, EVERY_REPORT)
  const gateway = await serve(sandbox)
  if (firstMonth !== undefined) await dropMonthsBefore(gateway.engine, firstMonth)
  for (const insert of [FORMER_VERSIONS, ...inserts]) await gateway.engine.execute(insert)
  afterAll(async () => {
    await gateway.close()
    sandbox.remove()
  })
  return { gateway, logins: sandbox.logins, read: (sql) => readTexts(gateway, sql) }
}

const textRow = z.record(z.string(), z.union([z.null().transform(() => ''), z.coerce.string()]))

/** Runs a query on a gateway's ledger. Its values become texts, NULL an empty one. */
export async function readTexts(
  { engine }: RunningGateway,
  sql: string,
): Promise<readonly ReportRow[]> {
  const settings = { join_use_nulls: 1, output_format_json_quote_decimals: 1 }
  return await readRows(engine, textRow, { sql, parameters: {}, settings })
}

/** A report and its parsed rows. */
export interface ReadReport {
  readonly answer: Answer
  readonly titles: readonly string[]
  readonly rows: readonly ReportRow[]
}

/** A row of a report: texts by column title. */
export type ReportRow = Readonly<Record<string, string>>

/** The options of a report request. */
export interface Wanted {
  readonly inputs?: Readonly<Record<string, string>>
  readonly configuration?: Readonly<Record<string, string>>
  readonly columns?: readonly string[]
  readonly filters?: Filters
}

/** Builds a report request. */
function requestOf(reportIdentifier: string, wanted: Wanted = {}): ReportRequest {
  const { inputs = {}, configuration = {}, columns = [], filters = {} } = wanted
  return {
    reportIdentifier,
    inputReportParameters: parametersOf(inputs),
    configurationReportParameters: parametersOf(configuration),
    outputReportParameters: columns,
    filters,
  }
}

/** Requests a report over HTTP, and parses its rows. Fails if the answer is not a complete report. */
export async function askReport(
  { gateway }: Pick<ServedLedger, 'gateway'>,
  login: Login,
  identifier: string,
  wanted?: Wanted,
): Promise<ReadReport> {
  const answer = await ask(gateway, login, requestOf(identifier, wanted))
  const { status, headers } = answer
  if (status !== 200 || headers['content-type'] !== 'text/csv; charset=UTF-8') {
    throw new Error(`expected a report, got ${status}: ${answer.text.slice(0, 1000)}`)
  }
  const [titles = [], ...lines] = z
    .array(z.array(z.string()))
    .parse(parse(answer.bytes, { record_delimiter: '\r\n' }))
  expect(answer.trailers['counterfoil-rows']).toBe(String(lines.length))
  const rows = lines.map((cells) => {
    return Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? '']))
  })
  return { answer, titles, rows }
}

/** A query that computes a report from the tables of the ledger. */
export interface Computed {
  /** The expression of each column by its title, in order. */
  readonly columns: Readonly<Record<string, string>>
  readonly from: string
}

/** A report to compare with a query of its own. */
export interface Checked {
  readonly identifier: string
  /** The roles that may request it. */
  readonly roles: readonly Role[]
  /** The columns of each role that does not have all of them. */
  readonly titles?: Readonly<Partial<Record<Role, readonly string[]>>>
  /** Whether the request names the columns, because some are optional. */
  readonly hasOptional?: boolean
  readonly compute: (of: {
    /** The transactions that the login sees, as a table. */
    readonly seen: string
    /** The condition of statements that the login sees. */
    readonly isSeen: string
    readonly inputs: Inputs
  }) => Computed
}

/** The columns that a request for a report names. */
export function columnsOf({ hasOptional, compute }: Checked): readonly string[] {
  const { columns } = compute({ seen: '', isSeen: '', inputs: {} })
  return hasOptional ? Object.keys(columns) : []
}

/** The same check for one role. What a parameter does to the figures does not depend on the role. */
export function forFirstRole(checked: Checked): Checked {
  return { ...checked, roles: checked.roles.slice(0, 1) }
}

/**
 * Requests a report as each of its roles, and compares it with the computed rows. Returns the rows of the first role.
 */
export async function checkReport(
  served: ServedLedger,
  checked: Checked,
  inputs: Inputs = {},
  filters: Filters = {},
): Promise<readonly ReportRow[]> {
  const reports: (readonly ReportRow[])[] = []
  for (const role of checked.roles) {
    const login = served.logins[role]
    const wanted = { inputs, filters, columns: columnsOf(checked) }
    const report = await askReport(served, login, checked.identifier, wanted)
    const seen = latest(login, filters)
    const { columns, from } = checked.compute({ seen, isSeen: isSeenBy(login), inputs })
    const titles = checked.titles?.[role] ?? Object.keys(columns)
    expect(report.titles).toEqual(titles)
    const list = titles.map((title) => `${columns[title]} AS \`${title}\``)
    expectRows(report.rows, await served.read(`SELECT ${list.join(', ')} FROM ${from}`))
    reports.push(report.rows)
  }
  return reports[0] ?? []
}

/** Makes a request that the gateway must refuse, and returns the problem. */
export async function problemOf(
  { gateway, logins }: ServedLedger,
  role: Role,
  identifier: string,
  wanted?: Wanted,
) {
  return problemIn(await ask(gateway, logins[role], requestOf(identifier, wanted)))
}

/** Compares rows with the expected rows, cell by cell and in order. Shows the first row that differs. */
function expectRows(actual: readonly ReportRow[], expected: readonly ReportRow[]): void {
  const isOther = (_: unknown, index: number): boolean => {
    return JSON.stringify(actual[index]) !== JSON.stringify(expected[index])
  }
  const longer = actual.length > expected.length ? actual : expected
  const row = longer.findIndex(isOther)
  expect({ row, ...actual[row] }).toEqual({ row, ...expected[row] })
  // The comparison above ignores the order of the cells.
  expect(row).toBe(-1)
}

/** Computes the expected answer to `totals` = `only`: rows counted and summed by some of their columns. */
export function totalsOf(
  rows: readonly ReportRow[],
  by: readonly string[],
  sums: readonly string[],
): readonly ReportRow[] {
  const valueOf = (title: string) => (row: ReportRow) => row[title] ?? ''
  const groups = Map.groupBy(rows, (row) => JSON.stringify(by.map((title) => row[title])))
  const totals = [...groups.values()].map((group) => {
    const cells = sums.map((title) => [title, sumOfCells(group.map(valueOf(title)))])
    return { ...pick(group[0] ?? {}, by), Rows: String(group.length), ...Object.fromEntries(cells) }
  })
  const keyOf = (row: ReportRow) => by.map((title) => valueOf(title)(row)).join('\0')
  return totals.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

/** Prints ten-thousandths as reports print amounts. */
function printMoney(amount: bigint): string {
  const digits = String((amount < 0n ? -amount : amount) / 10n).padStart(4, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`
}

/** Converts `12.3456` to ten-thousandths. */
export function scaled(decimal: string): bigint {
  const [integer = '', fraction = ''] = decimal.split('.')
  return BigInt(integer + fraction.padEnd(4, '0'))
}

function pick(row: ReportRow, titles: readonly string[]): ReportRow {
  return Object.fromEntries(titles.map((title) => [title, row[title] ?? `no ${title}`]))
}

function sumOfCells(cells: readonly string[]): string {
  if (cells.every((cell) => cell === '')) return ''
  const total = cells.map(scaled).reduce((sum, amount) => sum + amount, 0n)
  return cells.some((cell) => cell.includes('.')) ? printMoney(total) : String(total / 10_000n)
}

function parametersOf(values: Readonly<Record<string, string>>): readonly InputParameter[] {
  return Object.entries(values).map(([name, value]) => ({ type: 'INPUT_TEXT', name, value }))
}
