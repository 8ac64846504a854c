import { InvalidArgumentError, Option } from 'commander'
import { FILTER_NAMES, type FilterName, type InputParameter } from '@counterfoil/protocol'
import { REQUIRED } from './add-options.ts'
import { CONNECTION_OPTIONS, type ConnectionOptions } from './connection-options.ts'

/** The values of some filters, by name. */
export type Filters = { readonly [name in FilterName]?: readonly string[] }

/** What `counterfoil report` was told, by options or by the environment. */
export interface ReportOptions extends ConnectionOptions {
  readonly endpoint: string
  readonly signBody?: boolean
  readonly from?: string
  readonly to?: string
  readonly timezone?: string
  readonly parameter?: readonly InputParameter[]
  readonly filter?: Filters
  readonly column?: readonly InputParameter[]
  readonly configuration?: readonly InputParameter[]
  readonly encode?: string
  readonly delimiter?: string
  readonly format?: string
  readonly name?: string
  readonly request?: string
  readonly output?: string
  readonly overwrite?: boolean
  readonly json?: boolean
}

/** The options of `counterfoil report`, in the order in which the help lists them. */
export const REPORT_OPTIONS: readonly Option[] = [
  new Option('--endpoint <url>', 'the report endpoint')
    .env('COUNTERFOIL_ENDPOINT')
    .helpGroup(REQUIRED),
  ...CONNECTION_OPTIONS,
  new Option('--sign-body', 'sign the body too, as some logins must'),
  new Option('--from <date>', 'parameter dateFrom, included'),
  new Option('--to <date>', 'parameter dateTo, not included'),
  new Option('--timezone <zone>', 'parameter timezone, for example Europe/Riga'),
  new Option('--parameter <name=value>', 'any other parameter; can be repeated').argParser(
    addParameter,
  ),
  new Option(
    '--filter <name=id,id>',
    'only these merchants, currencies...; can be repeated',
  ).argParser(addFilter),
  new Option(
    '--column <name[=title]>',
    'only these columns, in this order, under these titles; can be repeated',
  ).argParser(addColumn),
  new Option(
    '--configuration <name=value>',
    'how the report is written, as decimalSeparator=,; can be repeated',
  ).argParser(addParameter),
  new Option('--encode <charset>', "the report's character encoding"),
  new Option('--delimiter <character>', 'the delimiter of CSV fields'),
  new Option('--format <format>', "the report's format"),
  new Option('--name <name>', "the report's name"),
  new Option(
    '--request <file>',
    'a request as JSON; the identifier and the options replace its fields',
  ),
  new Option(
    '-o, --output <file>',
    "where to save it, - for standard output (the gateway's file name)",
  ),
  new Option('--overwrite', 'replace a file that is already there'),
  new Option('--json', 'print the result, or the error, as a line of JSON on standard output'),
]

function addParameter(text: string, before: readonly InputParameter[] = []): InputParameter[] {
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
