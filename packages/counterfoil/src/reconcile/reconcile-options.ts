import { Option } from 'commander'
import { REQUIRED } from '../command.ts'
import { addStatusWords, type StatusWords } from './order-statuses.ts'
import { COLUMN_ROLES, type Source } from './read-table.ts'

/** The options of `counterfoil reconcile`, but for those that say how a file is written. */
export interface ReconcileOptions {
  readonly orders: string
  readonly output?: string
  readonly overwrite?: boolean
  readonly json?: boolean
  readonly sumOrders?: boolean
  readonly types: string
  readonly status?: StatusWords
}

const OF_ORDERS = 'The file of your orders, if the command reads it wrong:'
const OF_REPORT = 'The report, if the command reads it wrong:'

/** The options of `counterfoil reconcile`, in the order in which the help lists them. */
export const RECONCILE_OPTIONS: readonly Option[] = [
  new Option('--orders <file>', 'your orders (CSV)').helpGroup(REQUIRED),
  ...comparisonOptions(),
  ...formatOptions('--', OF_ORDERS, ['order', 'amount', 'currency', 'status']),
  ...formatOptions('--report-', OF_REPORT, COLUMN_ROLES),
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

/** Reads what the options say about one of the two files. */
export function sourceOf(
  file: string,
  prefix: Source['prefix'],
  options: ReconcileOptions & Readonly<Record<string, unknown>>,
): Source {
  const valueOf = (name: string) => {
    const value = options[new Option(`${prefix}${name} <value>`).attributeName()]
    return typeof value === 'string' ? value : undefined
  }
  return {
    file,
    prefix,
    delimiter: valueOf('delimiter'),
    encoding: valueOf('encoding'),
    decimalSeparator: valueOf('decimal-separator'),
    titles: Object.fromEntries(COLUMN_ROLES.map((role) => [role, valueOf(`${role}-column`)])),
  }
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
