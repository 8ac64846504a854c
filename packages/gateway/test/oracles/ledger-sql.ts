import type { FilterName, FilterValue } from '@counterfoil/protocol'
import { literals } from '../../../engine/src/dialect/literals.ts'
import { FILTERED_COLUMNS } from '../kit/filtered-columns.ts'
import type { Login } from '../kit/sandbox.ts'

/** The parameters of a request, by name. */
export type Inputs = Readonly<Record<string, string>>

/** The filters of a request. */
export type Filters = { readonly [name in FilterName]?: readonly FilterValue[] }

type Viewer = Pick<Login, 'role' | 'sees'>

/** The condition of rows that a login sees. */
export function isSeenBy({ role, sees }: Viewer): string {
  return role === 'operator' ? '1' : `${role}_id IN ${literals(sees)}`
}

const NAMED = ['merchant', 'project', 'gate'] as const
const NAMES = NAMED.map((name) => {
  return `LEFT ANY JOIN (SELECT ${name}_id, name AS ${name} FROM ${name}s) AS ${name}s USING ${name}_id`
})

/**
 * The latest version of every transaction that a login sees, with names. The query uses neither FINAL nor dictionaries.
 * Its column `is_chosen` says whether filters select the row.
 */
export function latest(viewer: Viewer, filters: Filters = {}): string {
  const chosen = Object.entries(filters).flatMap(([name, ids]) => {
    const column = FILTERED_COLUMNS[name as FilterName]
    return ids.length === 0 ? [] : [`${column} IN ${literals(ids.map(String))}`]
  })
  return `(SELECT *, ${chosen.join(' AND ') || '1'} AS is_chosen
    FROM (SELECT * FROM transactions ORDER BY row_version DESC LIMIT 1 BY transaction_id) AS versions
    ${NAMES.join(' ')} WHERE ${isSeenBy(viewer)})`
}

/** The latest version of every transaction. */
export const LATEST = latest({ role: 'operator', sees: [] })

/** Prints an amount as reports do. */
export function money(amount: string): string {
  return `toDecimalString(${amount}, 3)`
}

/** Prints a share as reports do. It is empty if the total is 0. */
export function ratio(part: string, total: string): string {
  return `if(${total} = 0, '', toDecimalString(toFloat64(${part}) / toFloat64(${total}), 4))`
}

/** Prints a day as reports do. */
export function printedDay(day: string): string {
  return `formatDateTime(${day}, '%d.%m.%Y')`
}

/** Prints an instant as reports do. */
export function time(instant: string, { timezone = 'UTC' }: Inputs): string {
  return `formatDateTime(toTimeZone(${instant}, '${timezone}'), '%F %T')`
}

/** The day of an instant, which is by default that of the requested axis. Two axes are days. */
export function dayOf({ dateAxis = 'created', timezone = 'UTC' }: Inputs, instant = ''): string {
  const [day] = { bank: ['bank_date'], due: ['dispute_due'] }[dateAxis] ?? []
  const local = `toDate32(toTimeZone(${instant || `${dateAxis}_at`}, '${timezone}'))`
  return instant === '' ? (day ?? local) : local
}

/** The condition of a transaction in the requested period, statuses and types. */
export function isAsked(inputs: Inputs, day = dayOf(inputs)): string {
  const { dateFrom, dateTo, statuses, types } = inputs
  const conditions = [
    ...(dateFrom === undefined ? [] : [`${day} >= '${dateFrom}'`]),
    ...(dateTo === undefined ? [] : [`${day} < '${dateTo}'`]),
    ...(statuses === undefined ? [] : [isOneOf('status', statuses)]),
    ...(types === undefined ? [] : [isOneOf('transaction_type', types)]),
  ]
  return conditions.join(' AND ') || '1'
}

/** The condition of a column that has a value of a list, such as `sale,capture`. */
export function isOneOf(column: string, list: string): string {
  return `${column} IN ${literals(list.split(','))}`
}

/** The condition of a transaction of some types. */
export function isOf(...types: readonly string[]): string {
  return isOneOf('transaction_type', types.join(','))
}

/** A chargeback in its first stage, which takes the money. */
export const IS_FIRST_CHARGEBACK = `(${isOf('chargeback')}
  AND ifNull(dispute_stage, '') NOT IN ('second', 'arbitration'))`

/** The leg of a transfer that charges a card and has no receiver. */
export const IS_TRANSFER_IN = `(${isOf('transfer')} AND coalesce(last4, card_ref_id) IS NOT NULL
  AND coalesce(dest_last4, dest_bank, dest_account_mask) IS NULL)`
