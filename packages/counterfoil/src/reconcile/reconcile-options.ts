import { Option } from 'commander'
import { REQUIRED } from '../command.ts'
import { addStatusWords, type StatusWords } from './order-statuses.ts'

/** The options of `counterfoil reconcile`. */
export interface ReconcileOptions {
  readonly orders: string
  readonly output?: string
  readonly overwrite?: boolean
  readonly json?: boolean
  readonly sumOrders?: boolean
  readonly types: string
  readonly status?: StatusWords
  readonly orderColumn?: string
  readonly amountColumn?: string
  readonly currencyColumn?: string
  readonly statusColumn?: string
  readonly delimiter?: string
  readonly encoding?: string
  readonly decimalSeparator?: string
  readonly reportOrderColumn?: string
  readonly reportAmountColumn?: string
  readonly reportCurrencyColumn?: string
  readonly reportStatusColumn?: string
  readonly reportTypeColumn?: string
  readonly reportDelimiter?: string
  readonly reportEncoding?: string
  readonly reportDecimalSeparator?: string
}

const OF_ORDERS = 'The file of your orders, if the command reads it wrong:'
const OF_REPORT = 'The report, if the command reads it wrong:'

/** The options of `counterfoil reconcile`, in the order in which the help lists them. */
export const RECONCILE_OPTIONS: readonly Option[] = [
  new Option('--orders <file>', 'your orders (CSV)').helpGroup(REQUIRED),
  ...comparisonOptions(),
  ...formatOptions('--', OF_ORDERS, ['order', 'amount', 'currency', 'status']),
  ...formatOptions('--report-', OF_REPORT, ['order', 'amount', 'currency', 'status', 'type']),
]

/** The options that say how one of the two files is written. */
function formatOptions(prefix: string, heading: string, roles: readonly string[]): Option[] {
  const titles: Readonly<Record<string, string>> = { order: 'order id', type: 'transaction type' }
  return [
    ...roles.map((role) => {
      return new Option(`${prefix}${role}-column <title>`, `column of the ${titles[role] ?? role}`)
    }),
    new Option(`${prefix}delimiter <character>`, 'character between fields'),
    new Option(`${prefix}encoding <charset>`, 'character encoding, such as windows-1251'),
    new Option(`${prefix}decimal-separator <character>`, 'decimal separator: . or ,'),
  ].map((option) => option.helpGroup(heading))
}

function comparisonOptions(): Option[] {
  return [
    new Option('-o, --output <file>', 'write all differences to this file (CSV)'),
    new Option('--overwrite', 'replace an existing file'),
    new Option('--json', 'print all differences and then the counts as lines of JSON on stdout'),
    new Option('--types <types>', 'types whose approved amounts make up an order').default(
      'sale,capture',
    ),
    new Option(
      '--status <status=word,word>',
      'what a status word of either file means: paid, unpaid, refunded or charged-back (repeatable)',
    ).argParser(addStatusWords),
    new Option('--sum-orders', 'add up rows of your orders that have the same order id'),
  ].map((option) => option.helpGroup('Comparison:'))
}
