import { tmpdir } from 'node:os'
import { Option } from 'commander'
import {
  type CommandDescription,
  type Dependencies,
  EXIT_CODES,
  Interrupted,
  UsageError,
} from '../command.ts'
import { createProgressLine } from '../print/progress-line.ts'
import { Comparison } from '../reconcile/comparison.ts'
import { describeReconciliation, differencesAsCsv } from '../reconcile/describe-reconciliation.ts'
import { addStatusWords, type Separator, type StatusWords } from '../reconcile/read-cells.ts'
import { readOrders, readReport } from '../reconcile/read-files.ts'
import { writeNew } from '../files.ts'

interface ReconcileOptions {
  readonly orders: string
  readonly output?: string
  readonly overwrite?: boolean
  readonly types: string
  readonly status?: StatusWords
  readonly orderColumn?: string
  readonly amountColumn?: string
  readonly currencyColumn?: string
  readonly statusColumn?: string
  readonly delimiter?: string
  readonly encoding?: string
  readonly decimalSeparator?: Separator
}

// biome-ignore format: a table
const COMPARISON = [
  new Option('-o, --output <file>', 'write all differences to this file (CSV)'),
  new Option('--overwrite', 'replace an existing file'),
  new Option('--types <types>', 'types whose approved amounts make up an order').default('sale,capture'),
  new Option('--status <status=word,word>', 'what a status word of either file means: paid, unpaid, refunded or charged-back (repeatable)').argParser(addStatusWords),
].map((option) => option.helpGroup('Comparison:'))

const FORMAT = [
  new Option('--order-column <title>', 'column of the order id'),
  new Option('--amount-column <title>', 'column of the amount'),
  new Option('--currency-column <title>', 'column of the currency'),
  new Option('--status-column <title>', 'column of the status'),
  new Option('--delimiter <character>', 'character between fields'),
  new Option('--encoding <charset>', 'character encoding, such as windows-1251'),
  new Option('--decimal-separator <character>', 'decimal separator').choices(['.', ',']),
].map((option) => option.helpGroup('The file of your orders, if the command reads it wrong:'))

export const RECONCILE: CommandDescription<ReconcileOptions> = {
  name: 'reconcile',
  summary: 'compare a report with your own orders',
  description: 'Compares a report with your own orders, and lists the differences.',
  argument: ['<file>', 'the report (CSV)'],
  options: [
    new Option('--orders <file>', 'your orders (CSV)').makeOptionMandatory(),
    ...COMPARISON,
    ...FORMAT,
  ],
  help: `
Example:
  counterfoil report transactions-list --from 2026-11-01 --to 2026-12-01 \\
    --parameter statuses=approved -o november.csv
  counterfoil reconcile november.csv --orders my-orders.csv -o differences.csv

The command finds orders that are missing in one file, and orders that differ in
status, amount or currency. Both files must cover the same period.

FILE is the report transactions-list as CSV, or another CSV file with a row for
each transaction. The command sums up the transactions of an order:
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
command knows the usual titles, and words such as paid and cancelled.

Exit codes:
  ${EXIT_CODES.done}    the files agree
  ${EXIT_CODES.failed}    the files differ
  ${EXIT_CODES.usage}    the command line or a file is wrong; the message names the row
  ${EXIT_CODES.interrupted}  interrupted`,
  async run(options, dependencies, file = '') {
    const { output, overwrite = false } = options
    const comparison = new Comparison()
    try {
      const compared = await readFiles(file, options, comparison, dependencies)
      const result = comparison.compare()
      if (output !== undefined) {
        await writeNew(output, differencesAsCsv(comparison.differences()), overwrite)
      }
      dependencies.stdout.write(describeReconciliation(result, comparison, compared, output))
      return result.differ === 0 ? EXIT_CODES.done : EXIT_CODES.failed
    } catch (error) {
      if (dependencies.signal.aborted) throw new Interrupted()
      // An error of SQLite.
      if (!(error instanceof Error) || !('errcode' in error)) throw error
      const advice = 'name another folder for temporary files in the variable TMPDIR'
      throw new UsageError(`cannot write to ${tmpdir()}: ${error.message}; ${advice}`)
    } finally {
      comparison.close()
    }
  },
}

async function readFiles(
  file: string,
  options: ReconcileOptions,
  { addOrder, addTransaction }: Comparison,
  { stderr, signal }: Dependencies,
) {
  const progress = createProgressLine(stderr)
  let bytes = 0
  const onRead = (count: number) => progress.update((bytes += count))
  const context = { words: options.status ?? new Map(), signal, onRead }
  const types = options.types.split(',').map((type) => type.trim().toLowerCase())
  const { orderColumn: order, amountColumn: amount, currencyColumn: currency } = options
  const { delimiter, encoding, decimalSeparator, statusColumn: status } = options
  const titles = { order, amount, currency, status }
  const ordersFile = { file: options.orders, delimiter, encoding, decimalSeparator, titles }
  try {
    const report = await readReport({ file }, types, addTransaction, context)
    return { report, orders: await readOrders(ordersFile, addOrder, context) }
  } finally {
    progress.clear()
  }
}
