import type { RunningGateway } from '../kit/running-gateway.ts'
import type { Login } from '../kit/sandbox.ts'
import { TRANSACTIONS_LIST } from './figures.ts'
import { type Filters, isAsked, latest } from './ledger-sql.ts'
import { readTexts } from './reports-kit.ts'

/** The options of an expected report: those of the request, with bounds as instants. */
export interface Expected {
  readonly viewer: Pick<Login, 'role' | 'sees'>
  readonly filters?: Filters
  readonly fromMs?: number
  readonly toMs?: number
  readonly timezone?: string
  readonly statuses?: readonly string[]
  readonly types?: readonly string[]
  readonly delimiter?: string
  readonly now: Date
}

/** Computes the default columns of `transactions-list` from the tables of the ledger, as CSV. */
export async function expectedReport(
  gateway: RunningGateway,
  { viewer, filters, fromMs, toMs, timezone = 'UTC', delimiter = ',', now, ...lists }: Expected,
) {
  const { statuses, types } = lists
  const inputs = {
    timezone,
    ...(statuses && { statuses: statuses.join() }),
    ...(types && { types: types.join() }),
  }
  const { columns } = TRANSACTIONS_LIST.compute({ seen: '', isSeen: '', inputs })
  const titles = Object.keys(columns).slice(0, 8)
  const instant = (ms: number) => `fromUnixTimestamp64Milli(toInt64(${ms}), 'UTC')`
  const rows = await readTexts(
    gateway,
    `SELECT ${titles.map((title) => `${columns[title]} AS \`${title}\``).join(', ')}
    FROM ${latest(viewer, filters)} WHERE is_chosen AND ${isAsked(inputs)}
      AND ${fromMs === undefined ? '1' : `created_at >= ${instant(fromMs)}`}
      AND ${toMs === undefined ? '1' : `created_at < ${instant(toMs)}`}
    ORDER BY merchant_id, created_at, transaction_id`,
  )
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, dateStyle: 'short' })
  const today = clock.format(now).replaceAll('/', '.')
  const lines = rows.map((row) => [...titles.map((title) => row[title] ?? ''), today])
  const quote = (field: string) => `"${field.replaceAll('"', '""')}"`
  const all = [[...titles, 'Date_of_report'], ...lines]
  const csv = all.map((line) => `${line.map(quote).join(delimiter)}\r\n`).join('')
  return { rows: rows.length, csv }
}

/** Finds the first line in which two reports differ, and returns some lines of each from there. */
export function firstDifference(actual: string, expected: string): object | undefined {
  if (actual === expected) return undefined
  const [one, other] = [actual.split('\r\n'), expected.split('\r\n')]
  const line = one.findIndex((text, index) => text !== other[index])
  const from = line < 0 ? one.length : line
  return { line: from, actual: one.slice(from, from + 3), expected: other.slice(from, from + 3) }
}
