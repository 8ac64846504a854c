import { InvalidArgumentError, Option } from 'commander'
import { FILTER_NAMES, type FilterName, type InputParameter } from '@counterfoil/protocol'
import { type ConnectionOptions, GATEWAY_OPTIONS } from '../connection/settings.ts'

/** The values of some filters, by name. */
export type Filters = { readonly [name in FilterName]?: readonly string[] }

/** The options of `counterfoil report`, from the command line or the environment. */
export interface ReportOptions extends ConnectionOptions {
  readonly from?: string
  readonly to?: string
  readonly timezone?: string
  readonly parameter?: readonly InputParameter[]
  readonly filter?: Filters
  readonly column?: readonly InputParameter[]
  readonly configuration?: readonly InputParameter[]
  readonly encode?: string
  readonly delimiter?: string
  /** A language or a locale. */
  readonly forExcel?: string
  readonly format?: string
  readonly name?: string
  readonly request?: string
  readonly output?: string
  readonly sinceLast?: boolean
  readonly split?: 'day'
  readonly requireProof?: boolean
  readonly overwrite?: boolean
  readonly json?: boolean
}

/** The options of `counterfoil report`, in the order in which the help lists them. */
export const REPORT_OPTIONS: readonly Option[] = [
  new Option('--from <date>', 'first day or time of the period (parameter dateFrom)'),
  new Option('--to <date>', 'end of the period, not included (parameter dateTo)'),
  new Option('--timezone <zone>', 'time zone of the period and of the report, such as Europe/Riga'),
  new Option('--parameter <name=value>', 'another parameter of the report (repeatable)').argParser(
    addParameter,
  ),
  new Option(
    '--filter <name=id,id>',
    'only rows of these ids, such as currencies=EUR,USD (repeatable)',
  ).argParser(addFilter),
  new Option(
    '--column <name[=title]>',
    'only these columns, in this order, under these titles (repeatable)',
  ).argParser(addColumn),
  new Option(
    '--configuration <name=value>',
    'how to write the report, such as decimalSeparator=, (repeatable)',
  ).argParser(addParameter),
  new Option(
    '--for-excel <locale>',
    'write CSV for a spreadsheet with this language, such as de or en-GB',
  ),
  new Option('--encode <charset>', 'character encoding of the report, such as windows-1251'),
  new Option('--delimiter <character>', 'character between CSV fields'),
  new Option(
    '--format <format>',
    'format of the report (default: by the extension of -o, else CSV)',
  ),
  new Option('--name <name>', 'name of the report'),
  new Option(
    '--request <file>',
    'file with a request as JSON; the other options replace its members',
  ),
  new Option(
    '-o, --output <file>',
    "file to save the report in, such as tx-{from}-{to}.csv; - for stdout (default: the gateway's file name)",
  ),
  new Option('--since-last', 'only rows that changed since the last run with this option'),
  new Option(
    '--split <unit>',
    'request each day of the period by itself, a few at once; a second run resumes where the first stopped (needs --from, --to and -o)',
  ).choices(['day']),
  new Option(
    '--require-proof',
    'fail if the gateway does not prove that the report is complete (exit code 6)',
  ),
  new Option('--overwrite', 'replace an existing file'),
  new Option('--json', 'print the result or the error as one line of JSON on stdout'),
  ...GATEWAY_OPTIONS,
]

/** Reads `NAME=VALUE` as a parameter of a report, and adds it to those before. */
export function addParameter(
  text: string,
  before: readonly InputParameter[] = [],
): InputParameter[] {
  const [name, value] = splitPair(text)
  return [...before, { type: 'INPUT_TEXT', name, value }]
}

function addColumn(text: string, before: readonly InputParameter[] = []): InputParameter[] {
  const [name, value] = text.includes('=') ? splitPair(text) : [text, '']
  return [...before, { type: 'INPUT_TEXT', name, value }]
}

function addFilter(text: string, before: Filters = {}): Filters {
  const [name, value] = splitPair(text)
  const values = value.split(',').map((part) => part.trim())
  if (!isFilterName(name))
    throw new InvalidArgumentError(`Expected one of ${FILTER_NAMES.join(', ')}.`)
  if (values.includes('')) throw new InvalidArgumentError('Expected ids, separated by commas.')
  return { ...before, [name]: [...(before[name] ?? []), ...values] }
}

function splitPair(text: string): [name: string, value: string] {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('Expected NAME=VALUE.')
  return [text.slice(0, equals), text.slice(equals + 1)]
}

function isFilterName(name: string): name is FilterName {
  return FILTER_NAMES.some((known) => known === name)
}
