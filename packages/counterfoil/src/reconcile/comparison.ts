import { tmpdir } from 'node:os'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { UsageError } from '../usage-error.ts'
import { isAtLeast, sumDecimals } from './decimals.ts'
import type { OrderStatus } from './order-statuses.ts'

/** In what an order differs. */
export const DIFFERENCE_KINDS = [
  'missing-in-orders',
  'missing-in-report',
  'status',
  'amount',
  'currency',
  'repeated',
] as const
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

/** A row of the shop's file. */
export interface OrderRow {
  readonly id: string
  readonly line: number
  /** A canonical decimal, or `null` if nobody paid the order. */
  readonly amount: string | null
  /** Empty if the file does not say it. */
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

/** What one file says about an order. */
export interface OrderSide {
  /** The line of the order's first row. */
  readonly line: number
  readonly rows: number
  readonly amount?: string
  readonly currency?: string
  readonly status?: OrderStatus
}

/** An order in which the files differ. */
export interface Difference {
  readonly orderId: string
  readonly kinds: readonly DifferenceKind[]
  readonly orders?: OrderSide
  readonly report?: OrderSide
}

/** The counts of a comparison. */
export interface Reconciliation {
  readonly differ: number
  /** Orders by the kind of their difference. An order may differ in several. */
  readonly kinds: ReadonlyMap<DifferenceKind, number>
  /** Orders that are in both files, and equal. */
  readonly agree: number
  /** Orders of the shop that nobody paid, and that the report does not have. */
  readonly unpaidInOrdersOnly: number
  /** Orders of the report that nobody paid, or whose payment is before its period, and that the shop does not have. */
  readonly withoutPaymentInReportOnly: number
}

/** The rows of both files. An amount is `NULL` where the comparison does not need it, and a status where it is unknown. */
const TABLES = `
CREATE TABLE orders (id TEXT, line INTEGER, amount TEXT, currency TEXT, status TEXT);
CREATE TABLE transactions (id TEXT, line INTEGER, amount TEXT, currency TEXT, kind TEXT);`

/** Adds a list of decimals. Node frees what a call of a function took when the statement ends, so only lists call one. */
const sumSql = (list: string) => `iif(instr(${list}, ' '), exact_sum(${list}), ${list})`

/**
 * Sums up each order of the shop. SQLite takes columns without an aggregate function from the row of `min(line)`.
 *
 * @param addRepeated Whether rows that have the same order id, status and currency are one order.
 */
const sumOrdersSql = (addRepeated: boolean) => `
CREATE TABLE ours (id TEXT PRIMARY KEY, line, rows, currency, status, amount, is_repeated) WITHOUT ROWID;
INSERT INTO ours
SELECT id, min(line), count(*), nullif(currency, ''), status,
  CASE WHEN status IS NOT 'unpaid' THEN ${sumSql(`group_concat(amount, ' ')`)} END,
  count(*) > 1 AND NOT (${addRepeated} AND min(status) IS max(status) AND min(currency) = max(currency))
FROM orders GROUP BY id`

/** Sums up the transactions of each order by currency. */
const SUM_TRANSACTIONS = `
CREATE TABLE money (id TEXT, currency TEXT, line, rows, is_charged_back, paid, refunded, PRIMARY KEY (id, currency))
WITHOUT ROWID;
INSERT INTO money
SELECT id, currency, min(line), count(*), max(kind = 'chargeback'),
  ${sumSql(`group_concat(amount, ' ') FILTER (WHERE kind = 'payment')`)},
  ${sumSql(`group_concat(amount, ' ') FILTER (WHERE kind = 'refund')`)}
FROM transactions GROUP BY id, currency`

/** Joins the orders of both files. `ours` is a table because SQLite uses no index of a subquery in a full join. */
const COMPARE = `
CREATE TABLE compared AS
WITH theirs AS (
  SELECT id, min(line) AS line, sum(rows) AS rows, count(paid) > 0 AS has_payment,
    -- Amounts of different currencies have no sum.
    CASE WHEN count(paid) = 1 THEN max(paid) END AS amount,
    nullif(group_concat(currency, '+') FILTER (WHERE paid IS NOT NULL), '') AS currency,
    CASE
      WHEN max(is_charged_back) THEN 'charged-back'
      WHEN count(refunded) > 0 AND min(CASE
        WHEN paid IS NULL OR refunded = paid THEN 1
        WHEN refunded IS NULL THEN 0
        ELSE is_at_least(refunded, paid)
      END) THEN 'refunded'
      WHEN count(paid) > 0 THEN 'paid'
      ELSE 'unpaid'
    END AS status
  FROM money GROUP BY id
)
SELECT id,
  ours.line, ours.rows, ours.amount, ours.currency, ours.status,
  theirs.line AS report_line, theirs.rows AS report_rows, theirs.amount AS report_amount,
  theirs.currency AS report_currency, theirs.status AS report_status,
  CASE
    WHEN is_repeated THEN 'repeated'
    WHEN ours.id IS NULL THEN iif(has_payment, 'missing-in-orders', 'withoutPaymentInReportOnly')
    WHEN theirs.id IS NULL THEN iif(ours.status IS 'unpaid', 'unpaidInOrdersOnly', 'missing-in-report')
    ELSE coalesce(nullif(concat_ws(' ',
      -- Orders without a status are orders that somebody paid.
      iif(coalesce(ours.status <> theirs.status, theirs.status = 'unpaid'), 'status', NULL),
      iif(ours.amount <> theirs.amount, 'amount', NULL),
      iif(ours.currency <> theirs.currency, 'currency', NULL)), ''), 'agree')
  END AS outcome
FROM theirs FULL OUTER JOIN ours USING (id)`

const IS_DIFFERENCE = `outcome NOT IN ('agree', 'unpaidInOrdersOnly', 'withoutPaymentInReportOnly')`

/** Writes what one file says about an order as JSON. */
const sideSql = (prefix: string) => {
  const members = ['line', 'rows', 'amount', 'currency', 'status']
  const pairs = members.map((name) => `'${name}', ${prefix}${name}`)
  return `CASE WHEN ${prefix}line IS NOT NULL THEN json_object(${pairs.join(', ')}) END`
}

/** Finds the orders whose differences contain a word. The empty word finds all. */
const SELECT_DIFFERENCES = `
SELECT json_object('orderId', id, 'kinds', outcome,
  'orders', json(${sideSql('')}), 'report', json(${sideSql('report_')})) AS difference
FROM compared WHERE ${IS_DIFFERENCE} AND instr(outcome, ?)
ORDER BY line IS NULL, line, report_line LIMIT ?`

/** SQLite keeps the other pages in its temporary file. */
const CACHE_KIBIBYTES = 16_384

/**
 * Joins the rows of both files by the order id, in a temporary database of SQLite. The database is a file without a
 * name. So nobody else can open the file, and nothing is left behind when the process ends, however it ends.
 *
 * The number of rows does not change the memory: 5,000,000 orders in each file do not fit into a `Map` of 1 GB.
 */
export class Comparison {
  readonly #database = new DatabaseSync('')
  readonly #insertOrder: StatementSync
  readonly #insertTransaction: StatementSync

  constructor() {
    const database = this.#database
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA cache_size = -${CACHE_KIBIBYTES}; ${TABLES}`)
    database.function('exact_sum', { deterministic: true }, (list) => {
      return sumDecimals(String(list).split(' '))
    })
    database.function('is_at_least', { deterministic: true }, (one, other) => {
      return isAtLeast(String(one), String(other)) ? 1 : 0
    })
    this.#insertOrder = database.prepare('INSERT INTO orders VALUES (?, ?, ?, ?, ?)')
    this.#insertTransaction = database.prepare('INSERT INTO transactions VALUES (?, ?, ?, ?, ?)')
    database.exec('BEGIN')
  }

  addOrder({ id, line, amount, currency, status }: OrderRow): void {
    write(() => this.#insertOrder.run(id, line, amount, currency, status))
  }

  addTransaction({ id, line, amount, currency, kind }: TransactionRow): void {
    write(() => this.#insertTransaction.run(id, line, amount, currency, kind))
  }

  /**
   * Compares the orders of both files.
   *
   * @param addRepeated Whether to add up the rows of the shop that have the same order id.
   */
  compare(addRepeated: boolean): Reconciliation {
    write(() =>
      this.#database.exec(`${sumOrdersSql(addRepeated)}; ${SUM_TRANSACTIONS}; ${COMPARE}`),
    )
    const count = (condition: string) => {
      const sql = `SELECT count(*) AS orders FROM compared WHERE ${condition}`
      return Number(this.#database.prepare(sql).get()?.['orders'])
    }
    return {
      differ: count(IS_DIFFERENCE),
      kinds: new Map(
        DIFFERENCE_KINDS.map((kind) => [kind, count(`' ' || outcome || ' ' LIKE '% ${kind} %'`)]),
      ),
      agree: count(`outcome = 'agree'`),
      unpaidInOrdersOnly: count(`outcome = 'unpaidInOrdersOnly'`),
      withoutPaymentInReportOnly: count(`outcome = 'withoutPaymentInReportOnly'`),
    }
  }

  /** Returns the orders that differ (in `kind`) in the order of the shop's file, and those of the report alone last. */
  *differences(kind: DifferenceKind | '' = '', limit = -1): Generator<Difference> {
    for (const { difference } of this.#database.prepare(SELECT_DIFFERENCES).iterate(kind, limit)) {
      // What a file does not say is NULL.
      const { kinds, ...rest } = JSON.parse(String(difference), (_, value) => value ?? undefined)
      yield { ...rest, kinds: kinds.split(' ') }
    }
  }

  close(): void {
    this.#database.close()
  }
}

function write(work: () => unknown): void {
  try {
    work()
  } catch (cause) {
    if (!(cause instanceof Error) || !('errcode' in cause)) throw cause
    const advice = 'name another folder for temporary files in the variable TMPDIR'
    throw new UsageError(`cannot write to ${tmpdir()}: ${cause.message}; ${advice}`, { cause })
  }
}
