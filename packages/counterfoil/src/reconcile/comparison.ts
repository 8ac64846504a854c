import { tmpdir } from 'node:os'
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { UsageError } from '../usage-error.ts'
import {
  COMPARE,
  SELECT_DIFFERENCES,
  SUM_TRANSACTIONS,
  sumOrdersSql,
  TABLES,
} from './comparison-sql.ts'
import { isAtLeast, sumDecimals } from './decimals.ts'
import { ORDER_STATUSES, type OrderStatus } from './order-statuses.ts'

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
  readonly amount: string | undefined
  readonly currency: string | undefined
  readonly status: OrderStatus | undefined
}

/** An order in which the files differ. */
export interface Difference {
  readonly orderId: string
  readonly kinds: readonly DifferenceKind[]
  readonly orders: OrderSide | undefined
  readonly report: OrderSide | undefined
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
    const counts = this.#database
      .prepare('SELECT outcome, count(*) AS orders FROM compared GROUP BY outcome')
      .all()
      .map(({ outcome, orders }) => ({ kinds: String(outcome).split(' '), orders: Number(orders) }))
    const count = (kind: string) => {
      return counts.reduce((sum, { kinds, orders }) => sum + (kinds.includes(kind) ? orders : 0), 0)
    }
    const agreement = {
      agree: count('agree'),
      unpaidInOrdersOnly: count('unpaidInOrdersOnly'),
      withoutPaymentInReportOnly: count('withoutPaymentInReportOnly'),
    }
    const kinds = DIFFERENCE_KINDS.map((kind) => [kind, count(kind)] as const)
    const all = counts.reduce((sum, { orders }) => sum + orders, 0)
    const others = Object.values(agreement).reduce((sum, orders) => sum + orders, 0)
    return { differ: all - others, kinds: new Map(kinds), ...agreement }
  }

  /** Returns the orders that differ (in `kind`) in the order of the shop's file, and those of the report alone last. */
  *differences(kind: DifferenceKind | '' = '', limit = -1): Generator<Difference> {
    for (const row of this.#database.prepare(SELECT_DIFFERENCES).iterate(kind, limit)) {
      const { id, outcome, line, rows, amount, currency, status, report_line, report_rows } = row
      const { report_amount, report_currency, report_status } = row
      yield {
        orderId: String(id),
        kinds: DIFFERENCE_KINDS.filter((name) => String(outcome).split(' ').includes(name)),
        orders: sideOf(line, rows, amount, currency, status),
        report: sideOf(report_line, report_rows, report_amount, report_currency, report_status),
      }
    }
  }

  close(): void {
    this.#database.close()
  }
}

function sideOf(
  line: SQLOutputValue | undefined,
  ...values: (SQLOutputValue | undefined)[]
): OrderSide | undefined {
  if (typeof line !== 'number') return undefined
  const [rows, amount, currency, status] = values
  return {
    line,
    rows: Number(rows),
    amount: textOf(amount),
    currency: textOf(currency),
    status: ORDER_STATUSES.find((name) => name === status),
  }
}

function textOf(value: SQLOutputValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
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
