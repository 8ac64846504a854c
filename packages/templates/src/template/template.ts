import { INPUT_TYPES, type InputType } from '@counterfoil/protocol'
import * as z from 'zod'
import { FORMAT_NAMES } from '@counterfoil/formats'
import { STATUSES, TRANSACTION_TYPES } from '@counterfoil/ledger'
import { ROLES } from '@counterfoil/common'
import { COLUMN_KINDS } from '@counterfoil/engine'
import { checkLayouts, statementSchema } from './layout-members.ts'

/**
 * Under this alias a report reads transactions or statements without the filters of the request. Only the caller's
 * scope applies.
 */
export const UNFILTERED = 'unfiltered'

const NAME = /^[A-Za-z][\w.-]*$/
const IDENTIFIER = /^[A-Za-z0-9][\w.-]{0,99}$/

/** Parameters that every report has, or that `period` or `changes` adds. */
const RESERVED_NAMES = [
  'now',
  'timezone',
  'timezoneName',
  'dateFrom',
  'dateTo',
  'dateAxis',
  'changedSince',
]

const sql = z.string().trim().min(1)
const title = z.string().min(1)
const roles = z.array(z.enum(ROLES)).min(1)
const name = z.string().regex(NAME, 'expected a letter, then letters, digits, "_", "-" and "."')
const identifier = z
  .string()
  .regex(IDENTIFIER, 'expected a letter or digit, then letters, digits, "_", "-" and "."')

/** Vocabularies of the ledger, by the name that a report file uses. */
const VOCABULARIES = { statuses: STATUSES, types: TRANSACTION_TYPES }

const allowed = z.union([
  z.array(z.string().min(1)).min(1),
  z.enum(['statuses', 'types']).transform((vocabulary): string[] => [...VOCABULARIES[vocabulary]]),
])

const parameterSchema = z
  .strictObject({
    /** The name in requests and in placeholders. */
    name: name.refine((written) => !RESERVED_NAMES.includes(placeholderOf(written)), {
      error: `expected another name: ${RESERVED_NAMES.join(', ')} are reserved`,
    }),
    title,
    type: z.enum(INPUT_TYPES),
    required: z.boolean().default(false),
    default: z.string().optional(),
    /** The values that a caller may choose from. */
    allowed: allowed.optional(),
    /** Whether a value is a list, separated by commas. */
    list: z.boolean().default(false),
    lengthMax: z.int().min(1).optional(),
    /** SQL that restricts the report's rows if the parameter has a value. */
    condition: sql.optional(),
  })
  .refine(
    (parameter) => (parameter.type === 'INPUT_SELECT') === (parameter.allowed !== undefined),
    {
      error: 'expected the allowed values for INPUT_SELECT, and none for any other type',
      path: ['allowed'],
    },
  )
  .refine((parameter) => !(parameter.required && parameter.default !== undefined), {
    error: 'expected no default for a required parameter',
    path: ['default'],
  })

const periodSchema = z
  .strictObject({
    /** The dates that `dateFrom` and `dateTo` can apply to. The first is the default. */
    axes: z
      .record(name, z.strictObject({ sql, kind: z.enum(['time', 'date']).default('time') }))
      .refine((axes) => Object.keys(axes).length > 0, 'expected at least one axis'),
    /** Whether a request must have both ends. */
    required: z.boolean().default(false),
    /** The longest period that a request may ask for. */
    daysMax: z.int().min(1).optional(),
  })
  .refine(({ required, daysMax }) => required || daysMax === undefined, {
    error: 'expected "required: true" beside it: a period without an end has no length',
    path: ['daysMax'],
  })

const columnSchema = z.strictObject({
  /** The title in the report's header row, by which callers also choose the column. */
  name: z
    .string()
    .regex(/^[^\p{Cc}`\\]{1,100}$/u, 'expected a title without control characters, "`" and "\\"'),
  /** What the column holds, for the report's page and its readers. */
  about: z.string().min(1),
  kind: z.enum(COLUMN_KINDS),
  sql,
  /** For an amount: the column with its currency. The default is the column `Currency`, if the report has it. */
  currency: z.string().optional(),
  /** The roles that have the column. The default is all roles of the report. */
  roles: roles.optional(),
  /** Whether the column appears only on request. */
  optional: z.boolean().default(false),
})

const totalsSchema = z.strictObject({
  /** Columns that separate the sums. At least the currency. */
  by: z.array(z.string()).min(1),
  /** Columns to sum. */
  columns: z.array(z.string()).min(1),
  /** Columns whose sum over all rows of a currency has a meaning, such as an amount with a sign. Documents show it. */
  byCurrency: z.array(z.string()).min(1).optional(),
})

/** Returns the name of a parameter in placeholders, where `-` and `.` cannot stand: `min-amount` is `{min_amount:…}`. */
export function placeholderOf(parameter: string): string {
  return parameter.replaceAll(/[-.]/g, '_')
}

/** The shape of a report file (docs/templates.md). */
export const templateSchema = z
  .strictObject({
    identifier,
    /** Other identifiers of the report. The catalogue does not list them. */
    aliases: z.array(identifier).optional(),
    /** Names of input parameters that callers may send and that have no effect. */
    ignores: z.array(z.string().min(1)).optional(),
    title,
    description: z.string().min(1),
    /** What a reader must know before using the figures. Documents show it. */
    note: z.string().min(1).max(500).optional(),
    /** The roles that may ask for the report. */
    roles,
    /** The formats in which a caller may ask for the report. The default is all formats. */
    formats: z
      .array(z.enum(FORMAT_NAMES))
      .min(1)
      .default([...FORMAT_NAMES]),
    period: periodSchema.optional(),
    /** SQL for the time at which the ledger received a row. The report then takes the parameter `changedSince`. */
    changes: sql.optional(),
    parameters: z.array(parameterSchema).default([]),
    /** The table of the report's rows. The filters of a request narrow this table. */
    rows: z.enum(['transactions', 'statements']).default('transactions'),
    /** The column of that table for the filter `currencies`. */
    currencies: z.enum(['currency', 'settlement_currency']).default('currency'),
    /** A SELECT that replaces that table as the source of rows. */
    from: sql.optional(),
    /** SQL that restricts the rows. */
    condition: sql.optional(),
    /** The expressions by which the rows are grouped. */
    group: z.array(sql).min(1).optional(),
    /** SQL that restricts the groups. */
    having: sql.optional(),
    /** SQL that restricts the rows of the report. Window functions also see the groups that it excludes. */
    qualify: sql.optional(),
    columns: z.array(columnSchema).min(1),
    /** The order of the rows. The ledger's key needs no sort, and so neither memory nor time before the first row. */
    order: z.array(sql).min(1),
    totals: totalsSchema.optional(),
    /** The rows are statements of accounts, and PDF has a layout for them. */
    statement: statementSchema.optional(),
  })
  .superRefine((template, context) => {
    const fault = (path: readonly (string | number)[], message: string): void => {
      context.addIssue({ code: 'custom', message, path: [...path] })
    }
    for (const list of ['parameters', 'columns'] as const) {
      const names = template[list].map((named) => {
        return list === 'parameters' ? placeholderOf(named.name) : named.name
      })
      for (const [index, written] of names.entries()) {
        if (names.indexOf(written) !== index) fault([list, index, 'name'], 'expected a unique name')
      }
    }
    for (const [index, column] of template.columns.entries()) {
      const stranger = column.roles?.find((role) => !template.roles.includes(role))
      if (stranger !== undefined) {
        fault(['columns', index, 'roles'], `expected roles of the report, got ${stranger}`)
      }
    }
    checkCurrencies(template, fault)
    for (const role of template.roles) {
      const own = template.columns.filter((column) => isFor(column, role) && !column.optional)
      if (own.length === 0) fault(['columns'], `expected a column for the role ${role}`)
    }
    if (template.rows === 'statements' && template.currencies !== 'currency') {
      fault(['currencies'], 'expected currency: a statement has no other currency')
    }
    checkChanges(template, fault)
    checkTotals(template, fault)
    checkCurrencySums(template, fault)
    checkLayouts(template, fault)
  })

type Fault = (path: readonly (string | number)[], message: string) => void

function checkCurrencies(
  template: Pick<z.output<typeof templateSchema>, 'columns' | 'roles'>,
  fault: Fault,
): void {
  for (const [index, column] of template.columns.entries()) {
    if (column.currency === undefined) continue
    const path = ['columns', index, 'currency']
    const currency = template.columns.find((other) => other.name === column.currency)
    const seenBy = column.roles ?? template.roles
    if (column.kind !== 'money')
      fault(path, 'not allowed: only a column of the kind money has a currency')
    else if (currency?.kind !== 'text')
      fault(path, 'expected the name of a column of the kind text')
    else if (!seenBy.every((role) => isFor(currency, role))) {
      fault(path, 'expected a column that every role of this column has')
    }
  }
}

/** Changes are rows of the ledger, created on any day. */
function checkChanges(
  {
    changes,
    period,
    group,
    parameters,
  }: Pick<z.output<typeof templateSchema>, 'changes' | 'period' | 'group' | 'parameters'>,
  fault: Fault,
): void {
  if (changes === undefined) return
  if (group) {
    fault(['changes'], 'not allowed beside "group": each row must be a row of the ledger')
  }
  if (period?.required === true) {
    fault(['changes'], 'not allowed beside a required period: changes may be of any day')
  }
  const constant = parameters.find(({ condition, required, ...parameter }) => {
    return condition !== undefined && (required || parameter.default !== undefined)
  })
  if (constant) {
    const always = `the condition of ${constant.name}, which every request has`
    fault(['changes'], `not allowed beside ${always}: a later version of a row can leave it`)
  }
}

const SUMMED_KINDS: readonly string[] = ['money', 'integer']

function checkTotals(
  {
    totals,
    columns,
    roles: all,
  }: Pick<z.output<typeof templateSchema>, 'totals' | 'columns' | 'roles'>,
  fault: Fault,
): void {
  for (const list of ['by', 'columns'] as const) {
    for (const [index, written] of (totals?.[list] ?? []).entries()) {
      const column = columns.find((candidate) => candidate.name === written)
      if (!column) fault(['totals', list, index], 'expected the name of a column')
      else if (list === 'by' && !all.every((role) => isFor(column, role))) {
        // Without this rule, a caller who does not see a currency would get a sum over all currencies.
        fault(['totals', list, index], 'expected a column that every role of the report has')
      } else if (list === 'columns' && !SUMMED_KINDS.includes(column.kind)) {
        fault(['totals', list, index], `expected a column of the kind ${SUMMED_KINDS.join(' or ')}`)
      }
    }
  }
}

/** The sums of a currency are one table, so their amounts have one currency, which separates the totals. */
function checkCurrencySums(
  { totals, columns }: Pick<z.output<typeof templateSchema>, 'totals' | 'columns'>,
  fault: Fault,
): void {
  const currencies = (totals?.byCurrency ?? []).map((written) => {
    const column = columns.find((candidate) => candidate.name === written)
    return column && totals?.columns.includes(written) ? currencyOf({ columns }, column) : undefined
  })
  for (const [index, currency] of currencies.entries()) {
    const isSeparate = currency && totals?.by.includes(currency.name)
    if (!isSeparate || currency !== currencies[0]) {
      const expected =
        'expected an amount of "columns" in the currency of the others, which "by" names'
      fault(['totals', 'byCurrency', index], expected)
    }
  }
}

type DeepReadonly<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> }

/** A report, parsed from its file. */
export type Template = DeepReadonly<z.output<typeof templateSchema>>

/** A column of a report. */
export type TemplateColumn = Template['columns'][number]

/** A parameter of a report, of its period, or of the configuration. */
export interface TemplateParameter {
  readonly name: string
  readonly title: string
  readonly type: InputType
  readonly required: boolean
  readonly default?: string | undefined
  /** The values that a caller may choose from. `timezones` means every time zone. */
  readonly allowed?: readonly string[] | 'timezones' | undefined
  readonly list: boolean
  readonly lengthMax?: number | undefined
  /** Whether a value is the cursor of an earlier run. */
  readonly isCursor?: boolean
}

/** The currency that the filter `currencies` compares: that of the transaction, or that of its settlement. */
export function filteredCurrency({
  rows,
  currencies,
}: Pick<Template, 'rows' | 'currencies'>): 'transaction' | 'settlement' {
  return rows === 'transactions' && currencies === 'currency' ? 'transaction' : 'settlement'
}

/** The usual name of the column with the currency of amounts. */
const CURRENCY_COLUMN = 'Currency'

/** Returns the column that holds the currency of an amount, if there is one. */
export function currencyOf(
  { columns }: Pick<Template, 'columns'>,
  { kind, currency = CURRENCY_COLUMN }: TemplateColumn,
): TemplateColumn | undefined {
  if (kind !== 'money') return undefined
  return columns.find((column) => column.name === currency)
}

/** Whether the totals of a report are separate for each value of a column. */
export function separatesTotals(
  { totals }: Pick<Template, 'totals'>,
  column: Pick<TemplateColumn, 'name'>,
): boolean {
  return totals?.by.includes(column.name) ?? false
}

/** Whether a role has a column. */
export function isFor(
  column: Pick<TemplateColumn, 'roles'>,
  role: (typeof ROLES)[number],
): boolean {
  return column.roles === undefined || column.roles.includes(role)
}
