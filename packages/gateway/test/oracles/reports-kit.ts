import {
  FILTER_NAMES,
  type FilterName,
  type FilterValue,
  type InputParameter,
  type ReportRequest,
} from '@counterfoil/protocol'
import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import * as z from 'zod'
import type { Role } from '../../../common/src/roles.ts'
import { dropMonthsBefore } from '../kit/drop-months.ts'
import { FILTERED_COLUMNS } from '../kit/filtered-columns.ts'
import { type Answer, ask, problemIn } from '../kit/ask.ts'
import { exportLedger, type Ledger, scaled, seenBy, type Transaction } from './exported-ledger.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { EVERY_REPORT, type Login, makeSandbox } from '../kit/sandbox.ts'

/** A gateway on a ledger that is the same in every run, and the rows of that ledger. */
export interface ServedLedger {
  readonly gateway: RunningGateway
  readonly logins: RunningGateway['sandbox']['logins']
  readonly ledger: Ledger
  close(): Promise<void>
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

/** Generates a ledger, drops its first months, inserts rows of a test, serves it, and exports it. */
export async function serveLedger(
  inserts: readonly string[] = [],
  firstMonth?: string,
): Promise<ServedLedger> {
  const sandbox = await makeSandbox(12_000, EVERY_REPORT)
  const gateway = await serve(sandbox)
  if (firstMonth !== undefined) await dropMonthsBefore(gateway.engine, firstMonth)
  for (const insert of [FORMER_VERSIONS, ...inserts]) await gateway.engine.execute(insert)
  const close = async (): Promise<void> => {
    await gateway.close()
    sandbox.remove()
  }
  return { gateway, logins: sandbox.logins, ledger: await exportLedger(gateway.engine), close }
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
  readonly filters?: { readonly [name in FilterName]?: readonly FilterValue[] }
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

/** The parameters of a request, by name. */
export type Inputs = Readonly<Record<string, string>>

/** A report to compare with what plain JavaScript computes from raw rows. */
export interface Checked {
  readonly identifier: string
  /** The roles that may request it. */
  readonly roles: readonly Role[]
  /** The columns of each role that does not have all of them. */
  readonly titles?: Readonly<Partial<Record<Role, readonly string[]>>>
  /** The columns to request, if not the default ones. */
  readonly columns?: readonly string[]
  /** Computes the expected rows from the rows that a login sees, with all columns, in order. */
  readonly recompute: (seen: Ledger, inputs: Inputs) => readonly ReportRow[]
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
  { identifier, roles, titles, columns, recompute }: Checked,
  inputs: Inputs = {},
  filters: NonNullable<Wanted['filters']> = {},
): Promise<readonly ReportRow[]> {
  const reports: (readonly ReportRow[])[] = []
  for (const role of roles) {
    const login = served.logins[role]
    const { ledger } = served
    const report = await askReport(served, login, identifier, {
      inputs,
      filters,
      ...(columns && { columns }),
    })
    const transactions = seenBy(login, ledger.transactions)
    const statements = seenBy(login, ledger.statements)
    const isChosen = (row: Transaction): boolean => {
      return FILTER_NAMES.every((name) => {
        const value = row[FILTERED_COLUMNS[name]]
        return (
          (filters[name] ?? []).length === 0 || filters[name]?.map(String).includes(String(value))
        )
      })
    }
    const seen = { ...ledger, transactions, statements, isChosen, whole: ledger }
    const expected = recompute(seen, inputs)
    const own = titles?.[role] ?? Object.keys(expected[0] ?? {})
    if (expected.length > 0) expect(report.titles).toEqual(own)
    expectRows(
      report.rows,
      expected.map((row) => pick(row, own)),
    )
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
  const groups = groupBy(rows, (row) => JSON.stringify(by.map((title) => row[title])))
  const totals = groups.map((group) => {
    const cells = sums.map((title) => [title, sumOfCells(group.map(valueOf(title)))])
    return { ...pick(group[0], by), Rows: String(group.length), ...Object.fromEntries(cells) }
  })
  return totals.toSorted(compareBy(...by.map(valueOf)))
}

/** Prints an amount as reports do: three fraction digits, or empty for `null`. */
export function printMoney(amount: bigint | null): string {
  if (amount === null) return ''
  if (amount % 10n !== 0n) throw new Error(`expected at most three fraction digits, got ${amount}`)
  const digits = String((amount < 0n ? -amount : amount) / 10n).padStart(4, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`
}

/** Prints a share as reports do: four fraction digits, or empty if the total is 0. */
export function printRatio(part: number, total: number): string {
  return total === 0 ? '' : (part / total).toFixed(4)
}

/** Converts ten-thousandths to a float. Use it for ratios only. */
export function toFloat(amount: bigint): number {
  return Number(amount) / 10_000
}

/** Prints an instant as reports do: `2026-10-30 06:06:37` in a time zone, or empty for `null`. */
export function printTime(ms: number | null, timezone = 'UTC'): string {
  if (ms === null) return ''
  const { year, month, day, time } = clockAt(ms, timezone)
  return `${year}-${month}-${day} ${time}`
}

/** Prints the day `2026-10-31` as reports do: `31.10.2026`, or empty for `null`. */
export function printDay(date: string | null): string {
  return date === null ? '' : date.split('-').toReversed().join('.')
}

/** The day of an instant in a time zone: `2026-10-31`. */
export function dayAt(ms: number, timezone = 'UTC'): string {
  const { year, month, day } = clockAt(ms, timezone)
  return `${year}-${month}-${day}`
}

/** The day of a transaction by the requested axis, in the report's time zone. */
export function dayOf(row: Transaction, inputs: Inputs): string | null {
  const { dateAxis = 'created', timezone } = inputs
  if (dateAxis === 'bank') return row.bank_date
  const instants = new Map([
    ['created', row.created_at],
    ['processed', row.processed_at],
    ['settled', row.settled_at],
  ])
  const ms = instants.get(dateAxis)
  return ms == null ? null : dayAt(ms, timezone)
}

/** Whether a transaction is in the requested period of days, statuses and types. */
export function isAsked(row: Transaction, inputs: Inputs): boolean {
  const { dateFrom, dateTo, statuses, types } = inputs
  const day = dayOf(row, inputs)
  return (
    (dateFrom === undefined || (day !== null && day >= dateFrom)) &&
    (dateTo === undefined || (day !== null && day < dateTo)) &&
    (statuses === undefined || statuses.split(',').includes(row.status)) &&
    (types === undefined || types.split(',').includes(row.transaction_type))
  )
}

/** Sums amounts. A `null` adds nothing. */
export function sum(amounts: readonly (bigint | null)[]): bigint {
  return amounts.reduce<bigint>((total, amount) => total + (amount ?? 0n), 0n)
}

/** Groups rows by a key, in the order of first appearance. */
export function groupBy<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): readonly (readonly [first: Row, ...rest: Row[]])[] {
  const groups = new Map<string, [Row, ...Row[]]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups.values()]
}

/** Compares lists of values. The first difference decides. A `null` comes last, as in the engine. */
export function compareBy<Row>(
  ...keysOf: readonly ((row: Row) => string | number | bigint | null)[]
): (one: Row, other: Row) => number {
  return (one, other) => {
    for (const keyOf of keysOf) {
      const [a, b] = [keyOf(one), keyOf(other)]
      if (a === b) continue
      if (a === null) return 1
      if (b === null) return -1
      return a < b ? -1 : 1
    }
    return 0
  }
}

function pick(row: ReportRow, titles: readonly string[]): ReportRow {
  return Object.fromEntries(titles.map((title) => [title, row[title] ?? `no ${title}`]))
}

function sumOfCells(cells: readonly string[]): string {
  if (cells.every((cell) => cell === '')) return ''
  const total = sum(cells.map(scaled))
  return cells.some((cell) => cell.includes('.')) ? printMoney(total) : String(total / 10_000n)
}

function parametersOf(values: Readonly<Record<string, string>>): readonly InputParameter[] {
  return Object.entries(values).map(([name, value]) => ({ type: 'INPUT_TEXT', name, value }))
}

interface Clock {
  readonly year: string
  readonly month: string
  readonly day: string
  readonly time: string
}

// A cache, because the tests convert the same instants many times and Intl is slow.
const clocks = new Map<
  string,
  { readonly format: Intl.DateTimeFormat; readonly read: Map<number, Clock> }
>()

function clockAt(ms: number, timeZone: string): Clock {
  const { format, read } = clocks.get(timeZone) ?? {
    format: new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
    read: new Map<number, Clock>(),
  }
  clocks.set(timeZone, { format, read })
  const known = read.get(ms)
  if (known) return known
  const [, day = '', month = '', year = '', time = ''] =
    /^(\d+)\/(\d+)\/(\d+), ([\d:]+)$/.exec(format.format(ms)) ?? []
  const clock = { year, month, day, time }
  read.set(ms, clock)
  return clock
}
