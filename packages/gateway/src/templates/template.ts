import { INPUT_TYPES } from '@counterfoil/protocol'
import * as z from 'zod'
import { ROLES } from '../store/store.ts'
import { COLUMN_KINDS } from './column-kinds.ts'

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/
const IDENTIFIER = /^[a-z0-9]+(-[a-z0-9]+)*$/

const sql = z.string().trim().min(1)
const title = z.string().min(1)

const parameterSchema = z
  .strictObject({
    /** As callers write it, and the placeholder's name. */
    name: z
      .string()
      .regex(NAME, 'expected a name of letters, digits and _')
      .refine(
        (name) => name !== 'now',
        'expected another name: "now" is when the report is asked for',
      ),
    title,
    type: z.enum(INPUT_TYPES),
    required: z.boolean().default(false),
    default: z.string().optional(),
    /** The values that a caller may choose from; every time zone, for `timezones`. */
    allowed: z.array(z.string().min(1)).min(1).or(z.literal('timezones')).optional(),
    /** Whether a value is a list of such values, separated by commas. */
    list: z.boolean().default(false),
    lengthMax: z.int().min(1).optional(),
    /** SQL that holds for the rows of the report when the parameter is given. */
    condition: sql.optional(),
  })
  .refine(({ type, allowed }) => (type === 'INPUT_SELECT') === (allowed !== undefined), {
    error: 'expected the values that are allowed, for INPUT_SELECT and for no other type',
    path: ['allowed'],
  })
  .refine((parameter) => !(parameter.required && parameter.default !== undefined), {
    error: 'expected no default for a parameter that is required',
    path: ['default'],
  })

const columnSchema = z.strictObject({
  /** The title in the report's header row. */
  name: z
    .string()
    .regex(/^[^\p{Cc}`\\]{1,100}$/u, 'expected a title without control characters, "`" and "\\"'),
  kind: z.enum(COLUMN_KINDS),
  sql,
})

/** The shape of a report file (docs/templates.md). */
export const templateSchema = z
  .strictObject({
    identifier: z.string().regex(IDENTIFIER, 'expected words of small letters, joined by "-"'),
    title,
    description: z.string().min(1),
    /** Who may ask for it. */
    roles: z.array(z.enum(ROLES)).min(1),
    formats: z.array(z.enum(['CSV'])).min(1),
    parameters: z.array(parameterSchema),
    columns: z.array(columnSchema).min(1),
    /** The ledger's table that the rows come from. */
    from: z.enum(['transactions']),
    /** SQL that holds for every row of the report. */
    condition: sql.optional(),
    /** The order of the rows. The ledger's key needs no sort, and so neither memory nor time before the first row. */
    order: z.array(sql).min(1),
  })
  .superRefine((template, context) => {
    for (const list of ['parameters', 'columns'] as const) {
      const names = template[list].map(({ name }) => name)
      for (const [index, name] of names.entries()) {
        if (names.indexOf(name) === index) continue
        const path = [list, index, 'name']
        context.addIssue({ code: 'custom', message: 'expected a name of its own', path })
      }
    }
    const timezone = template.parameters.find(({ name }) => name === 'timezone')
    if (timezone?.allowed !== 'timezones' || timezone.default === undefined) {
      const message = 'expected a parameter "timezone" with "allowed: timezones" and a default'
      context.addIssue({ code: 'custom', message, path: ['parameters'] })
    }
  })

type DeepReadonly<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> }

/** A report, as its file tells it. */
export type Template = DeepReadonly<z.output<typeof templateSchema>>

/** A parameter of a report. */
export type TemplateParameter = Template['parameters'][number]

/** A report with the file that it was read from. */
export interface LoadedTemplate {
  readonly template: Template
  readonly file: string
  /** The line, from 1, of the member at a path. */
  readonly lineOf: (path: readonly PropertyKey[]) => number
}
