import { DatabaseSync } from 'node:sqlite'
import type { OrderStatus } from './read-cells.ts'

export const DIFFERENCE_KINDS = [
  'missing-in-orders',
  'missing-in-report',
  'status',
  'amount',
  'currency',
  'repeated',
] as const
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

/** A row of the shop's file. The currency is empty if the file does not say it. */
export interface OrderRow {
  readonly id: string
  /** The first row below the header is row 1. */
  readonly row: number
  /** A scaled integer, or `null` if nobody paid the order. */
  readonly amount: bigint | null
  readonly currency: string
  readonly status: OrderStatus | null
}

/**
 * A transaction of the report. `payment` is money that the payer paid. `refund` and `chargeback` are money that went
 * back. `event` is anything else, such as a declined attempt, and has no amount.
 */
export interface TransactionRow extends Omit<OrderRow, 'status'> {
  readonly kind: 'payment' | 'refund' | 'chargeback' | 'event'
}

export const SIDES = ['orders', 'report'] as const
export type Side = (typeof SIDES)[number]

/** An order in which the files differ: one or more kinds of difference, and what each file says of it. */
export interface Difference {
  readonly id: string
  readonly kinds: string
  readonly of: (
    side: Side,
    title: 'amount' | 'currency' | 'status' | 'row',
  ) => string | number | null
}

const TABLES = `
PRAGMA journal_mode = OFF;
PRAGMA cache_size = -16384; -- SQLite keeps the other pages in its temporary file.
CREATE TABLE orders (id TEXT, "row" INTEGER, amount INTEGER, currency TEXT, status TEXT);
CREATE TABLE transactions (id TEXT, "row" INTEGER, amount INTEGER, currency TEXT, kind TEXT);
BEGIN`

/**
 * Sums up the orders of the shop, and the transactions of each order by currency, and joins both. SQLite takes columns
 * without an aggregate function from the row of `min("row")`. `ours` is a table because SQLite uses no index of a
 * subquery in a full join.
 */
const COMPARE = `
CREATE TABLE ours (id TEXT PRIMARY KEY, "row", currency, status, amount, is_repeated) WITHOUT ROWID;
INSERT INTO ours
SELECT id, min("row"), nullif(currency, ''), status, iif(status IS 'unpaid', NULL, amount),
  count(*) > 1
FROM orders GROUP BY id;

CREATE TABLE compared AS
WITH money AS (
  SELECT id, currency, min("row") AS "row", max(kind = 'chargeback') AS is_charged_back,
    sum(amount) FILTER (WHERE kind = 'payment') AS paid,
    sum(amount) FILTER (WHERE kind = 'refund') AS refunded
  FROM transactions GROUP BY id, currency
), theirs AS (
  SELECT id, min("row") AS "row", count(paid) > 0 AS has_payment,
    -- Amounts of different currencies have no sum.
    iif(count(paid) = 1, max(paid), NULL) AS amount,
    nullif(group_concat(currency, '+') FILTER (WHERE paid IS NOT NULL), '') AS currency,
    CASE
      WHEN max(is_charged_back) THEN 'charged-back'
      WHEN count(refunded) > 0 AND min(paid IS NULL OR coalesce(refunded, 0) >= paid) THEN 'refunded'
      WHEN count(paid) > 0 THEN 'paid'
      ELSE 'unpaid'
    END AS status
  FROM money GROUP BY id
)
SELECT id,
  ours."row" AS orders_row, CAST(ours.amount AS TEXT) AS orders_amount,
  ours.currency AS orders_currency, ours.status AS orders_status,
  theirs."row" AS report_row, CAST(theirs.amount AS TEXT) AS report_amount,
  theirs.currency AS report_currency, theirs.status AS report_status,
  CASE
    WHEN is_repeated THEN 'repeated'
    WHEN ours.id IS NULL THEN iif(has_payment, 'missing-in-orders', 'unpaid')
    WHEN theirs.id IS NULL THEN iif(ours.status IS 'unpaid', 'unpaid', 'missing-in-report')
    ELSE coalesce(nullif(concat_ws(' ',
      -- Orders without a status are orders that somebody paid.
      iif(coalesce(ours.status <> theirs.status, theirs.status = 'unpaid'), 'status', NULL),
      iif(ours.amount <> theirs.amount, 'amount', NULL),
      iif(ours.currency <> theirs.currency, 'currency', NULL)), ''), 'agree')
  END AS outcome
FROM theirs FULL OUTER JOIN ours USING (id)`

/** Finds the orders whose differences contain a word. The empty word finds all. */
const SELECT_DIFFERENCES = `
SELECT * FROM compared
WHERE outcome NOT IN ('agree', 'unpaid') AND instr(outcome, ?)
ORDER BY orders_row IS NULL, orders_row, report_row LIMIT ?`

/**
 * Joins the rows of both files by the order id, in a temporary database of SQLite. The database is a file without a
 * name. So nobody else can open the file, and nothing is left behind when the process ends, however it ends.
 *
 * The number of rows does not change the memory: 5,000,000 orders in each file do not fit into a `Map` of 1 GB.
 */
export class Comparison {
  readonly #database = new DatabaseSync('')
  readonly addOrder: (order: OrderRow) => void
  readonly addTransaction: (transaction: TransactionRow) => void

  constructor() {
    this.#database.exec(TABLES)
    const order = this.#database.prepare('INSERT INTO orders VALUES (?, ?, ?, ?, ?)')
    this.addOrder = ({ id, row, amount, currency, status }) => {
      order.run(id, row, amount, currency, status)
    }
    const transaction = this.#database.prepare('INSERT INTO transactions VALUES (?, ?, ?, ?, ?)')
    this.addTransaction = ({ id, row, amount, currency, kind }) => {
      transaction.run(id, row, amount, currency, kind)
    }
  }

  /** Counts the orders that agree, those that differ, and these by their kinds. An order may differ in several. */
  compare() {
    this.#database.exec(COMPARE)
    const sql = 'SELECT outcome, count(*) AS orders FROM compared GROUP BY outcome'
    const counts = this.#database.prepare(sql).all()
    const count = (...wanted: readonly string[]) => {
      const own = counts.filter(({ outcome }) => {
        return String(outcome)
          .split(' ')
          .some((word) => wanted.includes(word))
      })
      return own.reduce((sum, { orders }) => sum + Number(orders), 0)
    }
    return {
      differ: count(...DIFFERENCE_KINDS),
      kinds: new Map(DIFFERENCE_KINDS.map((kind) => [kind, count(kind)])),
      agree: count('agree'),
    }
  }

  /** Returns the orders that differ (in `kind`) in the order of the shop's file, and those of the report alone last. */
  *differences(kind: DifferenceKind | '' = '', limit = -1): Generator<Difference> {
    for (const row of this.#database.prepare(SELECT_DIFFERENCES).iterate(kind, limit)) {
      const of: Difference['of'] = (side, title) => {
        const value = row[`${side}_${title}`]
        return typeof value === 'string' || typeof value === 'number' ? value : null
      }
      yield { id: String(row['id']), kinds: String(row['outcome']), of }
    }
  }

  close(): void {
    this.#database.close()
  }
}
