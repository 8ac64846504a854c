import { once } from 'node:events'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { addOptions } from '../add-options.ts'
import type { Dependencies, ProgramDependencies } from '../dependencies.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { jsonLine } from '../print/json-line.ts'
import { createProgressLine } from '../print/progress-line.ts'
import { compareOrders, DIFFERENCE_KINDS, type Difference } from '../reconcile/compare-orders.ts'
import { describeReconciliation } from '../reconcile/describe-reconciliation.ts'
import { CSV_HEADER, differencesAsCsv, differencesAsJson } from '../reconcile/differences-text.ts'
import { SHOP_WORDS, TRANSACTION_WORDS } from '../reconcile/order-statuses.ts'
import { Partitions } from '../reconcile/partitions.ts'
import { readOrders } from '../reconcile/read-orders.ts'
import { readReport } from '../reconcile/read-report.ts'
import type { Source } from '../reconcile/read-table.ts'
import { RECONCILE_OPTIONS, type ReconcileOptions } from '../reconcile/reconcile-options.ts'
import { Reconciliation } from '../reconcile/reconciliation.ts'
import { WholeFile } from '../reconcile/whole-file.ts'
import { runAction } from '../run-action.ts'
import { UsageError } from '../usage-error.ts'

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

/** Adds `reconcile`. */
export function addReconcileCommand(program: Command, dependencies: ProgramDependencies): void {
  const command = program
    .command('reconcile')
    .summary('compare a report with your own orders')
    .description('Compares a report with your own orders, and lists the differences.')
    .argument('<file>', 'the report (CSV)')
    .addHelpText('after', HELP)
    .action((file, options) =>
      runAction(command, dependencies, runReconcile(file, options, dependencies)),
    )
  addOptions(command, RECONCILE_OPTIONS)
}

/**
 * Compares a report with orders and prints the differences.
 *
 * @returns the exit code
 * @throws {UsageError} for a wrong command line, or a file that cannot be read
 */
async function runReconcile(
  file: string,
  options: ReconcileOptions,
  dependencies: Dependencies,
): Promise<number> {
  const { stdout, stderr, signal } = dependencies
  const { output, overwrite = false } = options
  if (output === '-') throw new UsageError('use --json to print all differences to stdout')
  const partitions = new Partitions()
  let csv: WholeFile | undefined
  try {
    csv = output === undefined ? undefined : await WholeFile.create(output, overwrite)
    const compared = await readFiles(file, options, partitions, dependencies)
    const result = new Reconciliation()
    const comparison = compareAll(partitions, options, { result, csv, signal })
    if (options.json) await printJson(comparison, result, stdout)
    else for await (const _ of comparison);
    await csv?.complete()
    const summary = describeReconciliation(result, compared, output)
    const printed = options.json ? stderr : stdout
    printed.write(summary)
    return result.differ === 0 ? EXIT_CODES.done : EXIT_CODES.failed
  } catch (error) {
    if (!signal.aborted) throw error
    stderr.write('counterfoil: interrupted.\n')
    return EXIT_CODES.interrupted
  } finally {
    partitions.close()
    await csv?.close()
  }
}

/** Reads both files into the partitions, and returns what was read. */
async function readFiles(
  file: string,
  options: ReconcileOptions,
  partitions: Partitions,
  { stderr, signal, nowMs }: Dependencies,
) {
  const progress = createProgressLine(stderr, nowMs)
  let bytes = 0
  const onRead = (count: number) => progress.update((bytes += count))
  const context = { signal, onRead }
  const words = options.status ?? []
  const rules = {
    paymentTypes: new Set(
      options.types
        .toLowerCase()
        .split(',')
        .map((type) => type.trim()),
    ),
    words: new Map([...TRANSACTION_WORDS, ...words]),
  }
  try {
    const report = await readReport(reportSource(file, options), rules, partitions, context)
    const shopWords = new Map([...SHOP_WORDS, ...words])
    const orders = await readOrders(ordersSource(options), shopWords, partitions, context)
    return { reportName: basename(file), ordersName: basename(options.orders), report, orders }
  } finally {
    progress.clear()
  }
}

/** Compares one partition after the other. Adds the differences to the result and to the file. */
async function* compareAll(
  partitions: Partitions,
  { sumOrders = false }: ReconcileOptions,
  {
    result,
    csv,
    signal,
  }: { result: Reconciliation; csv?: WholeFile | undefined; signal: AbortSignal },
): AsyncGenerator<readonly Difference[]> {
  await csv?.write(CSV_HEADER)
  for (const differences of compareOrders(partitions, { sumOrders }, result.agreement)) {
    result.add(differences)
    await csv?.write(differencesAsCsv(differences))
    yield differences
    signal.throwIfAborted()
  }
}

async function printJson(
  comparison: AsyncIterable<readonly Difference[]>,
  result: Reconciliation,
  stdout: Dependencies['stdout'],
): Promise<void> {
  for await (const differences of comparison) await print(differencesAsJson(differences), stdout)
  const counts = DIFFERENCE_KINDS.map((kind) => [kind, result.count(kind)])
  const { agreement, differ } = result
  const kinds: unknown = Object.fromEntries(counts)
  await print(jsonLine({ ok: differ === 0, differ, kinds, ...agreement }), stdout)
}

/** Waits while the reader is slow. A reader that has left, such as `head -1`, misses the rest. */
async function print(text: string, stdout: Dependencies['stdout']): Promise<void> {
  if (!stdout.writable || stdout.write(text)) return
  const waiting = new AbortController()
  const events = ['drain', 'close'].map((name) => {
    return once(stdout, name, { signal: waiting.signal })
  })
  await Promise.race(events).catch(() => {})
  waiting.abort()
}

function reportSource(file: string, options: ReconcileOptions): Source {
  return {
    file,
    prefix: '--report-',
    delimiter: options.reportDelimiter,
    encoding: options.reportEncoding,
    decimalSeparator: options.reportDecimalSeparator,
    titles: {
      order: options.reportOrderColumn,
      amount: options.reportAmountColumn,
      currency: options.reportCurrencyColumn,
      status: options.reportStatusColumn,
      type: options.reportTypeColumn,
    },
  }
}

function ordersSource(options: ReconcileOptions): Source {
  return {
    file: options.orders,
    prefix: '--',
    delimiter: options.delimiter,
    encoding: options.encoding,
    decimalSeparator: options.decimalSeparator,
    titles: {
      order: options.orderColumn,
      amount: options.amountColumn,
      currency: options.currencyColumn,
      status: options.statusColumn,
    },
  }
}
