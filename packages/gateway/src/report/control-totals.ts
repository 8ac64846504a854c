import type { ControlTotal } from '@counterfoil/protocol'
import * as z from 'zod'
import { type EngineQuery, type Queries, readRows } from '@counterfoil/engine'
import type { SelectedColumn } from '@counterfoil/formats'
import { LIMITS } from '@counterfoil/common'

const CURRENCY_BYTES_MAX = 100

const totalRow = z.object({
  column: z.number(),
  currency: z.string(),
  amounts: z.coerce.number(),
  sum: z.string(),
})

/** Returns SQL for the amounts of a row as `_amounts`: the index of each column, the currency, and the amount. */
export function amountsSql(columns: readonly SelectedColumn[]): string {
  const amounts = columns.flatMap(({ kind, sql, currencySql }, index) => {
    if (kind !== 'money' || currencySql === undefined) return []
    const currency = `left(ifNull(toString((${currencySql}\n)), ''), ${CURRENCY_BYTES_MAX})`
    return [`(${index}, CAST(${currency} AS String), CAST((${sql}\n) AS Nullable(Decimal(38, 4))))`]
  })
  const type = 'Array(Tuple(UInt16, String, Nullable(Decimal(38, 4))))'
  return `CAST([${amounts.join(', ')}] AS ${type}) AS _amounts`
}

/** Returns the query that sums the amounts of `rows`, a query that selects `amountsSql`, by column and currency. */
export function totalsQuery(rows: EngineQuery): EngineQuery {
  const sql = `SELECT amount.1 AS column, amount.2 AS currency, count(amount.3) AS amounts,
    replaceRegexpOne(toDecimalString(sum(amount.3), 4), '0$', '') AS sum
  FROM (${rows.sql}\n) ARRAY JOIN _amounts AS amount
  GROUP BY column, currency HAVING amounts > 0 ORDER BY column, currency
  LIMIT ${LIMITS.controlCurrenciesMax + 1} BY column`
  return { ...rows, sql, settings: { ...rows.settings, query_plan_remove_redundant_sorting: 1 } }
}

/** Reads control totals. Returns undefined if a column has more currencies than a run records. */
export async function readControlTotals(
  engine: Pick<Queries, 'stream'>,
  query: EngineQuery,
  titles: readonly string[],
  signal: AbortSignal,
): Promise<readonly ControlTotal[] | undefined> {
  const rows = await readRows(engine, totalRow, query, signal)
  const currencies = titles.map((_, index) => rows.filter(({ column }) => column === index).length)
  if (Math.max(0, ...currencies) > LIMITS.controlCurrenciesMax) return undefined
  return rows.map((row) => ({ ...row, column: titles[row.column] ?? '' }))
}
