import * as z from 'zod'
import { ROLES, type Role } from '@counterfoil/common'
import { COLUMN_KINDS, type ColumnKind } from '@counterfoil/engine'
import { FORMAT_NAMES, STATEMENT_ROLES, type StatementRole } from '@counterfoil/formats'
import {
  CHANGED_SINCE,
  parameterName,
  parameterSchema,
  placeholderOf,
  type TemplateParameter,
  TIMEZONE,
} from './parameters.ts'

/**
 * Under this alias a report reads transactions or statements without the filters of the request. Only the caller's
 * scope applies.
 */
export const UNFILTERED = 'unfiltered'

const IDENTIFIER = /^[A-Za-z0-9][\w.-]{0,99}$/

const sql = z.string().trim().min(1)
const roles = z.array(z.enum(ROLES)).min(1)
const identifier = z
  .string()
  .regex(IDENTIFIER, 'expected a letter or digit, then letters, digits, "_", "-" and "."')

const periodSchema = z
  .strictObject({
    /** The dates that `dateFrom` and `dateTo` can apply to. The first is the default. */
    axes: z
      .record(
        parameterName,
        z.strictObject({ sql, kind: z.enum(['time', 'date']).default('time') }),
      )
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

const column = z.string()

/** An entry of a statement, with the columns of its figures. */
const entrySchema = z
  .strictObject({
    title: z.string().regex(/^[^\p{Cc}]{1,100}$/u, 'expected a title of 1 to 100 characters'),
    /** The number of transactions. */
    count: column.optional(),
    /** The fees of these transactions. Their sum is an entry of its own. */
    fees: column.optional(),
    /** The amount that adds to the balance. */
    credit: column.optional(),
    /** The amount that lessens the balance. */
    debit: column.optional(),
  })
  .refine(({ credit, debit }) => (credit === undefined) !== (debit === undefined), {
    error: 'expected either credit or debit, with the name of a column',
  })

/** The column of each role, and the entries of a statement. */
const statementSchema = z.strictObject({
  holder: column,
  holderId: column,
  account: column,
  accountId: column,
  currency: column,
  statement: column,
  day: column,
  opening: column,
  closing: column,
  entries: z.array(entrySchema).min(1).max(50),
} satisfies Record<StatementRole | 'entries', z.ZodType>)

const shape = z.strictObject({
  identifier,
  /** Other identifiers of the report. The catalogue does not list them. */
  aliases: z.array(identifier).optional(),
  /** Names of input parameters that callers may send and that have no effect. */
  ignores: z.array(z.string().min(1)).optional(),
  title: z.string().min(1),
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

type Shape = z.output<typeof shape>
type Path = readonly (string | number)[]
type Fault = (path: Path, message: string) => void

/** The shape of a report file (docs/templates.md). */
export const templateSchema = shape.superRefine((template, context) => {
  const fault: Fault = (path, message) => {
    context.addIssue({ code: 'custom', message, path: [...path] })
  }
  checkColumns(template, fault)
  checkReferences(template, fault)
  checkChanges(template, fault)
  const { columns, parameters, statement, totals } = template
  const named = {
    parameters: parameters.map((one) => placeholderOf(one.name)),
    columns: columns.map((one) => one.name),
  }
  for (const list of ['parameters', 'columns'] as const) {
    for (const index of repeated(named[list]))
      fault([list, index, 'name'], 'expected a unique name')
  }
  for (const index of repeated((statement?.entries ?? []).map((entry) => entry.title))) {
    fault(['statement', 'entries', index, 'title'], 'expected a unique title')
  }
  if (template.rows === 'statements' && template.currencies !== 'currency') {
    fault(['currencies'], 'expected currency: a statement has no other currency')
  }
  // The sums of a currency are one table, so their amounts have one currency, which separates the totals.
  const currencies = (totals?.byCurrency ?? []).map((written) => {
    const summed = columns.find((one) => one.name === written && totals?.columns.includes(written))
    return summed && currencyOf(template, summed)
  })
  for (const [index, currency] of currencies.entries()) {
    if (currency && currency === currencies[0] && totals?.by.includes(currency.name)) continue
    const expected =
      'expected an amount of "columns" in the currency of the others, which "by" names'
    fault(['totals', 'byCurrency', index], expected)
  }
})

/** Returns the index of each text that the list has before. */
function repeated(texts: readonly string[]): readonly number[] {
  return texts.flatMap((text, index) => (texts.indexOf(text) === index ? [] : [index]))
}

function checkColumns({ columns, roles: all }: Shape, fault: Fault): void {
  for (const [index, { kind, roles: own = [], currency }] of columns.entries()) {
    const stranger = own.find((role) => !all.includes(role))
    if (stranger !== undefined) {
      fault(['columns', index, 'roles'], `expected roles of the report, got ${stranger}`)
    }
    if (currency !== undefined && kind !== 'money') {
      const message = 'not allowed: only a column of the kind money has a currency'
      fault(['columns', index, 'currency'], message)
    }
  }
  for (const role of all) {
    if (columns.some((one) => isFor(one, role) && !one.optional)) continue
    fault(['columns'], `expected a column for the role ${role}`)
  }
}

/** A member that names a column. The column has one of the kinds, and every one of the roles sees it. */
type Reference = readonly [
  path: Path,
  written: string | undefined,
  kinds: readonly ColumnKind[],
  roles: readonly Role[],
]

const TEXTS = ['text', 'id'] as const

const STATEMENT_KINDS: Readonly<Record<StatementRole, readonly ColumnKind[]>> = {
  holder: TEXTS,
  holderId: TEXTS,
  account: TEXTS,
  accountId: TEXTS,
  currency: ['text'],
  statement: TEXTS,
  day: ['date', 'time'],
  opening: ['money'],
  closing: ['money'],
}

function referencesIn({ columns, totals, statement, roles: all }: Shape): readonly Reference[] {
  return [
    ...columns.map(({ currency, roles: own = all }, index): Reference => {
      return [['columns', index, 'currency'], currency, ['text'], own]
    }),
    // A caller who does not see a currency would get a sum over all currencies.
    ...(totals?.by ?? []).map((written, index): Reference => {
      return [['totals', 'by', index], written, COLUMN_KINDS, all]
    }),
    ...(totals?.columns ?? []).map((written, index): Reference => {
      return [['totals', 'columns', index], written, ['money', 'integer'], []]
    }),
    ...STATEMENT_ROLES.map((role): Reference => {
      return [['statement', role], statement?.[role], STATEMENT_KINDS[role], all]
    }),
    ...(statement?.entries ?? []).flatMap((entry, index) => {
      return (['count', 'fees', 'credit', 'debit'] as const).map((member): Reference => {
        const kind = member === 'count' ? 'integer' : 'money'
        return [['statement', 'entries', index, member], entry[member], [kind], all]
      })
    }),
  ]
}

function checkReferences(template: Shape, fault: Fault): void {
  for (const [path, written, kinds, seenBy] of referencesIn(template)) {
    if (written === undefined) continue
    const named = template.columns.find((one) => one.name === written)
    if (!named) fault(path, 'expected the name of a column')
    else if (!kinds.includes(named.kind)) {
      fault(path, `expected a column of the kind ${kinds.join(' or ')}`)
    } else if (!seenBy.every((role) => isFor(named, role))) {
      fault(path, `expected a column for each of the roles ${seenBy.join(', ')}`)
    }
  }
}

/** Changes are rows of the ledger, created on any day. */
function checkChanges({ changes, period, group, parameters }: Shape, fault: Fault): void {
  if (changes === undefined) return
  if (group) fault(['changes'], 'not allowed beside "group": each row must be a row of the ledger')
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

type DeepReadonly<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> }

/** A report, parsed from its file. */
export type Template = DeepReadonly<z.output<typeof templateSchema>>

export type TemplateColumn = Template['columns'][number]

/** The currency that the filter `currencies` compares: that of the transaction, or that of its settlement. */
export function filteredCurrency({ rows, currencies }: Template): 'transaction' | 'settlement' {
  return rows === 'transactions' && currencies === 'currency' ? 'transaction' : 'settlement'
}

const CURRENCY_COLUMN = 'Currency'

/** Returns the column that holds the currency of an amount, if there is one. */
export function currencyOf(
  { columns }: Template,
  { kind, currency = CURRENCY_COLUMN }: TemplateColumn,
): TemplateColumn | undefined {
  if (kind !== 'money') return undefined
  return columns.find((one) => one.name === currency)
}

/** Whether a role has a column. */
export function isFor({ roles: own }: Pick<TemplateColumn, 'roles'>, role: Role): boolean {
  return own === undefined || own.includes(role)
}

/** All parameters of a report: those of its period, the time zone, `changedSince`, and its own. */
export function parametersOf(template: Template): readonly TemplateParameter[] {
  const { period, changes, parameters } = template
  const axes = Object.keys(period?.axes ?? {})
  const end = { type: 'INPUT_DATETIME', required: period?.required === true, list: false } as const
  const choice = { type: 'INPUT_SELECT', required: false, list: false, allowed: axes } as const
  const title = 'The date to which the period applies'
  return [
    ...(period
      ? [
          { name: 'dateFrom', title: 'The start of the period', ...end },
          { name: 'dateTo', title: 'The end of the period, not included', ...end },
        ]
      : []),
    ...(axes.length > 1 ? [{ name: 'dateAxis', title, ...choice, default: axes[0] }] : []),
    TIMEZONE,
    ...(changes === undefined ? [] : [CHANGED_SINCE]),
    ...parameters,
  ]
}
