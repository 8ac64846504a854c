import { once } from 'node:events'
import { basename } from 'node:path'
import type { CommandDescription } from '../command.ts'
import type { Dependencies } from '../dependencies.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { jsonLine } from '../print/json-line.ts'
import { createProgressLine } from '../print/progress-line.ts'
import { Comparison, type Reconciliation } from '../reconcile/comparison.ts'
import { describeReconciliation } from '../reconcile/describe-reconciliation.ts'
import { CSV_HEADER, differenceAsCsv, differenceAsJson } from '../reconcile/differences-text.ts'
import { SHOP_WORDS, TRANSACTION_WORDS } from '../reconcile/order-statuses.ts'
import { readOrders } from '../reconcile/read-orders.ts'
import { readReport } from '../reconcile/read-report.ts'
import {
  RECONCILE_OPTIONS,
  type ReconcileOptions,
  sourceOf,
} from '../reconcile/reconcile-options.ts'
import { checkTarget, saveFile } from '../reconcile/save-file.ts'
import { UsageError } from '../usage-error.ts'

type AllOptions = ReconcileOptions & Readonly<Record<string, unknown>>

const HELP = `
Example:
  counterfoil report transactions-list --from 2026-11-01 --to 2026-12-01 \\
    --parameter statuses=approved -o november.csv
  counterfoil reconcile november.csv --orders my-orders.csv -o differences.csv

The command joins the files by the order id that you sent with each payment.
Both must cover the same period. The command finds orders that are missing in
one file, and orders that differ in status, amount or currency.

FILE is the report transactions-list or order-reconciliation as CSV, or another
CSV file with a row for each transaction. The command sums up the transactions
of an order:
  - The amount is the sum of the approved sales and captures (--types). Refunds
    do not reduce it.
  - An order is charged-back if it has a chargeback, refunded if refunds return
    the complete amount of each currency, and otherwise paid. It is unpaid
    without an approved sale or capture, for example if a preauth was not
    captured.
  - Without a column Status, every transaction counts as approved.
  - Payouts, transfers and checks of cards do not count.

The file of your orders has a row for each order, with a column for the order
id, one for the amount and, if possible, one each for currency and status. The
command knows the usual titles, and words such as paid, shipped, cancelled and
refunded. An unpaid order that only one file has is no difference. Amounts are
compared exactly: 1.5 equals 1.50 and 1,50.

Exit codes:
  ${EXIT_CODES.done}    the files agree
  ${EXIT_CODES.failed}    the files differ
  ${EXIT_CODES.usage}    the command line or a file is wrong; the message names the line
  ${EXIT_CODES.interrupted}  interrupted`

/** The command `reconcile`. */
export const RECONCILE: CommandDescription<AllOptions> = {
  name: 'reconcile',
  summary: 'compare a report with your own orders',
  description: 'Compares a report with your own orders, and lists the differences.',
  argument: ['<file>', 'the report (CSV)'],
  options: RECONCILE_OPTIONS,
  help: HELP,
  run: runReconcile,
}

/** Compares a report with orders and prints the differences. */
async function runReconcile(
  options: AllOptions,
  dependencies: Dependencies,
  file = '',
): Promise<number> {
  const { stdout, stderr, signal } = dependencies
  const { output, overwrite = false, json = false, sumOrders = false } = options
  if (output === '-') throw new UsageError('use --json to print all differences to stdout')
  if (output !== undefined) await checkTarget(output, overwrite)
  const comparison = new Comparison()
  try {
    const compared = await readFiles(file, options, comparison, dependencies)
    const result = comparison.compare(sumOrders)
    signal.throwIfAborted()
    if (output !== undefined) await saveFile(output, overwrite, csvOf(comparison))
    if (json) await printJson(comparison, result, dependencies)
    const summary = describeReconciliation(result, comparison, compared, output)
    const printed = json ? stderr : stdout
    printed.write(summary)
    return result.differ === 0 ? EXIT_CODES.done : EXIT_CODES.failed
  } catch (error) {
    if (!signal.aborted) throw error
    stderr.write('counterfoil: interrupted.\n')
    return EXIT_CODES.interrupted
  } finally {
    comparison.close()
  }
}

/** Reads both files into the comparison, and returns what was read. */
async function readFiles(
  file: string,
  options: AllOptions,
  comparison: Comparison,
  { stderr, signal, nowMs }: Dependencies,
) {
  const progress = createProgressLine(stderr, nowMs)
  let bytes = 0
  const onRead = (count: number) => progress.update((bytes += count))
  const context = { signal, onRead }
  const words = options.status ?? []
  const types = options.types.toLowerCase().split(',')
  const rules = {
    paymentTypes: new Set(types.map((type) => type.trim())),
    words: new Map([...TRANSACTION_WORDS, ...words]),
  }
  const shopWords = new Map([...SHOP_WORDS, ...words])
  try {
    const report = await readReport(
      sourceOf(file, '--report-', options),
      rules,
      (row) => comparison.addTransaction(row),
      context,
    )
    const orders = await readOrders(
      sourceOf(options.orders, '--', options),
      shopWords,
      (row) => comparison.addOrder(row),
      context,
    )
    return { reportName: basename(file), ordersName: basename(options.orders), report, orders }
  } finally {
    progress.clear()
  }
}

function* csvOf(comparison: Comparison): Generator<string> {
  yield CSV_HEADER
  for (const difference of comparison.differences()) yield differenceAsCsv(difference)
}

/** Prints all differences. Waits while the reader is slow. A reader that has left, such as `head -1`, misses the rest. */
async function printJson(
  comparison: Comparison,
  { kinds, ...counts }: Reconciliation,
  { stdout, signal }: Dependencies,
): Promise<void> {
  const lines = function* () {
    for (const difference of comparison.differences()) yield differenceAsJson(difference)
    yield jsonLine({ ok: counts.differ === 0, ...counts, kinds: Object.fromEntries(kinds) })
  }
  for (const line of lines()) {
    if (!stdout.writable) return
    if (stdout.write(line)) continue
    await once(stdout, 'drain', { signal }).catch(() => signal.throwIfAborted())
  }
}
