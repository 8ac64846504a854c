import { INPUT_TYPES, type InputType } from '@counterfoil/protocol'
import * as z from 'zod'
import { STATUSES, TRANSACTION_TYPES } from '../ledger/model.ts'
import { ROLES } from '../store/store.ts'
import { COLUMN_KINDS } from '../column-kinds.ts'

/**
 * The alias under which a report reads transactions or statements without the filters of a request: the caller's scope
 * alone lies on them.
 */
export const UNFILTERED = 'unfiltered'

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/
const IDENTIFIER = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** Parameters that every report has, or that its period gives it. */
const RESERVED_NAMES = ['now', 'timezone', 'timezoneName', 'dateFrom', 'dateTo', 'dateAxis']

const sql = z.string().trim().min(1)
const title = z.string().min(1)
const roles = z.array(z.enum(ROLES)).min(1)
const name = z.string().regex(NAME, 'expected a name of letters, digits and _')

/** The ledger's own vocabularies, by the name that stands for their words. */
const VOCABULARIES = { statuses: STATUSES, types: TRANSACTION_TYPES }

const allowed = z.union([
  z.array(z.string().min(1)).min(1),
  z.enum(['statuses', 'types']).transform((vocabulary): string[] => [...VOCABULARIES[vocabulary]]),
])

const parameterSchema = z
  .strictObject({
    /** As callers write it, and the placeholder's name. */
    name: name.refine((written) => !RESERVED_NAMES.includes(written), {
      error: `expected another name: ${RESERVED_NAMES.join(', ')} are there already`,
    }),
    title,
    type: z.enum(INPUT_TYPES),
    required: z.boolean().default(false),
    default: z.string().optional(),
    /** The values that a caller may choose from. */
    allowed: allowed.optional(),
    /** Whether a value is a list of such values, separated by commas. */
    list: z.boolean().default(false),
    lengthMax: z.int().min(1).optional(),
    /** SQL that holds for the rows of the report when the parameter is given. */
    condition: sql.optional(),
  })
  .refine(
    (parameter) => (parameter.type === 'INPUT_SELECT') === (parameter.allowed !== undefined),
    {
      error: 'expected the values that are allowed, for INPUT_SELECT and for no other type',
      path: ['allowed'],
    },
  )
  .refine((parameter) => !(parameter.required && parameter.default !== undefined), {
    error: 'expected no default for a parameter that is required',
    path: ['default'],
  })

const periodSchema = z
  .strictObject({
    /** What `dateFrom` and `dateTo` can go by; the first is meant where a caller says nothing. */
    axes: z
      .record(name, z.strictObject({ sql, kind: z.enum(['time', 'date']).default('time') }))
      .refine((axes) => Object.keys(axes).length > 0, 'expected at least one axis'),
    /** Whether both ends must be given. */
    required: z.boolean().default(false),
    /** The longest period that can be asked for. */
    daysMax: z.int().min(1).optional(),
  })
  .refine(({ required, daysMax }) => required || daysMax === undefined, {
    error: 'expected "required: true" beside it: a period without an end has no length',
    path: ['daysMax'],
  })

const columnSchema = z.strictObject({
  /** The title in the report's header row, and how callers choose the column. */
  name: z
    .string()
    .regex(/^[^\p{Cc}`\\]{1,100}$/u, 'expected a title without control characters, "`" and "\\"'),
  /** What it holds, for the report's page and its readers. */
  about: z.string().min(1),
  kind: z.enum(COLUMN_KINDS),
  sql,
  /** Who has it; everybody who has the report, where nothing is said. */
  roles: roles.optional(),
  /** Whether it is there only when it is asked for. */
  optional: z.boolean().default(false),
})

const totalsSchema = z.strictObject({
  /** Columns whose values the sums are kept apart by: a currency, at the least. */
  by: z.array(z.string()).min(1),
  /** Columns that are summed. */
  columns: z.array(z.string()).min(1),
})

/** The shape of a report file (docs/templates.md). */
export const templateSchema = z
  .strictObject({
    identifier: z.string().regex(IDENTIFIER, 'expected words of small letters, joined by "-"'),
    title,
    description: z.string().min(1),
    /** Who may ask for it. */
    roles,
    formats: z.array(z.enum(['CSV'])).min(1),
    period: periodSchema.optional(),
    parameters: z.array(parameterSchema).default([]),
    /** What a row of the report stands for: the filters of a request narrow this table. */
    rows: z.enum(['transactions', 'statements']).default('transactions'),
    /** The column of that table that the filter `currencies` goes by. */
    currencies: z.enum(['currency', 'settlement_currency']).default('currency'),
    /** Where the rows come from, if not from that table as it is: a SELECT. */
    from: sql.optional(),
    /** SQL that holds for every row that is read. */
    condition: sql.optional(),
    /** What the rows of the report are grouped by. */
    group: z.array(sql).min(1).optional(),
    /** SQL that holds for every group. */
    having: sql.optional(),
    /** SQL that holds for every row of the report. Window functions also see the groups for which it does not hold. */
    qualify: sql.optional(),
    columns: z.array(columnSchema).min(1),
    /** The order of the rows. The ledger's key needs no sort, and so neither memory nor time before the first row. */
    order: z.array(sql).min(1),
    totals: totalsSchema.optional(),
  })
  .superRefine((template, context) => {
    const fault = (path: readonly (string | number)[], message: string): void => {
      context.addIssue({ code: 'custom', message, path: [...path] })
    }
    for (const list of ['parameters', 'columns'] as const) {
      const names = template[list].map((named) => named.name)
      for (const [index, written] of names.entries()) {
        if (names.indexOf(written) !== index)
          fault([list, index, 'name'], 'expected a name of its own')
      }
    }
    for (const [index, column] of template.columns.entries()) {
      const stranger = column.roles?.find((role) => !template.roles.includes(role))
      if (stranger !== undefined) {
        fault(['columns', index, 'roles'], `expected roles of the report, got ${stranger}`)
      }
    }
    for (const role of template.roles) {
      const own = template.columns.filter((column) => isFor(column, role) && !column.optional)
      if (own.length === 0) fault(['columns'], `expected a column for the role ${role}`)
    }
    if (template.rows === 'statements' && template.currencies !== 'currency') {
      fault(['currencies'], 'expected currency: a statement has no other one')
    }
    checkTotals(template, fault)
  })

const SUMMED_KINDS: readonly string[] = ['money', 'integer']

function checkTotals(
  {
    totals,
    columns,
    roles: all,
  }: Pick<z.output<typeof templateSchema>, 'totals' | 'columns' | 'roles'>,
  fault: (path: readonly (string | number)[], message: string) => void,
): void {
  for (const list of ['by', 'columns'] as const) {
    for (const [index, written] of (totals?.[list] ?? []).entries()) {
      const column = columns.find((candidate) => candidate.name === written)
      if (!column) fault(['totals', list, index], 'expected the name of a column')
      else if (list === 'by' && !all.every((role) => isFor(column, role))) {
        // Who does not see a currency would get a sum over all of them.
        fault(['totals', list, index], 'expected a column that every role of the report has')
      } else if (list === 'columns' && !SUMMED_KINDS.includes(column.kind)) {
        fault(['totals', list, index], `expected a column of the kind ${SUMMED_KINDS.join(' or ')}`)
      }
    }
  }
}

type DeepReadonly<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> }

/** A report, as its file tells it. */
export type Template = DeepReadonly<z.output<typeof templateSchema>>

/** A column of a report. */
export type TemplateColumn = Template['columns'][number]

/** A parameter as callers meet it: of a report, of its period, or of the configuration. */
export interface TemplateParameter {
  readonly name: string
  readonly title: string
  readonly type: InputType
  readonly required: boolean
  readonly default?: string | undefined
  /** The values that a caller may choose from; every time zone, for `timezones`. */
  readonly allowed?: readonly string[] | 'timezones' | undefined
  readonly list: boolean
  readonly lengthMax?: number | undefined
}

/** Whose currency the filter `currencies` goes by in a report: that of a transaction, or that of its settlement. */
export function filteredCurrency({
  rows,
  currencies,
}: Pick<Template, 'rows' | 'currencies'>): 'transaction' | 'settlement' {
  return rows === 'transactions' && currencies === 'currency' ? 'transaction' : 'settlement'
}

/** Whether a role has a column. */
export function isFor(
  column: Pick<TemplateColumn, 'roles'>,
  role: (typeof ROLES)[number],
): boolean {
  return column.roles === undefined || column.roles.includes(role)
}

/** A report with the file that it was read from. */
export interface LoadedTemplate {
  readonly template: Template
  readonly file: string
  readonly text: string
  /** The line, from 1, of the member at a path. */
  readonly lineOf: (path: readonly PropertyKey[]) => number
}
