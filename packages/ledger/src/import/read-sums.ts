import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import type { LedgerTable } from '../model/model.ts'
import { placeSchema, type RowPlace } from './check/import-rules.ts'

/** Rows that a source skips for one reason. */
export interface SkippedRows {
  /** The value of `_skip`. */
  readonly reason: string
  readonly rows: number
  readonly first: RowPlace
}

/** The sum of rows with the same type, status and currency. */
export interface SumOfRows {
  /** The value of `_skip`. Empty for accepted rows: taken, or in the ledger already. */
  readonly skip: string
  readonly type: string
  readonly status: string
  readonly currency: string
  readonly rows: number
  readonly amount: string
  readonly net: string
}

const REASONS_MAX = 20
const SUMS_MAX = 100

const skippedRow = z.object({ reason: z.string(), rows: z.coerce.number(), first: placeSchema })
const sumRow = z.object({
  skip: z.string(),
  type: z.string(),
  status: z.string(),
  currency: z.string(),
  rows: z.coerce.number(),
  amount: z.string(),
  net: z.string(),
})

/** Counts the rows that a source skips, by reason. Rare reasons count together. */
export async function readSkipped(engine: Queries): Promise<readonly SkippedRows[]> {
  const sql = `SELECT if(place <= ${REASONS_MAX}, skip, 'other reasons') AS reason, sum(found) AS rows, min(least_line) AS first
  FROM (
    SELECT toString(skip) AS skip, count() AS found, min(line) AS least_line, row_number() OVER (ORDER BY count() DESC, skip) AS place
    FROM import_skipped GROUP BY skip)
  GROUP BY reason ORDER BY rows DESC, reason`
  return await readRows(engine, skippedRow, { sql, parameters: {} })
}

/** Sums the transactions of an import by type, status and currency: accepted rows, and rows that the source skips. */
export async function readSums(engine: Queries, table: LedgerTable): Promise<readonly SumOfRows[]> {
  if (table !== 'transactions') return []
  const number = (text: string) => `toDecimal128OrZero(${text}, 4)`
  const sql = `SELECT skip, type, status, currency, count() AS rows, toString(sum(money)) AS amount, toString(sum(net)) AS net
  FROM (
    SELECT '' AS skip, toString(transaction_type) AS type, toString(status) AS status, toString(currency) AS currency,
      toDecimal128(amount, 4) AS money, toDecimal128(ifNull(net_amount, 0), 4) AS net
    FROM (
      SELECT * FROM import_valid WHERE (transaction_id, row_version) IN (
        SELECT id, version FROM import_verdicts WHERE verdict IN ('taken', 'unchanged'))
      LIMIT 1 BY transaction_id, row_version)
    UNION ALL
    SELECT toString(skip), raw_transaction_type, raw_status, raw_currency, ${number('raw_amount')},
      ${number('raw_net_amount')}
    FROM import_skipped)
  GROUP BY skip, type, status, currency ORDER BY skip, currency, type, status LIMIT ${SUMS_MAX}`
  return await readRows(engine, sumRow, { sql, parameters: {} })
}
