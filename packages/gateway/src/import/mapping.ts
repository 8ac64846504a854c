import * as z from 'zod'
import { readYaml } from '../config/read-yaml.ts'
import { LEDGER_TABLES, type LedgerTable } from '../ledger/model.ts'
import { cardColumnFault } from './card-numbers.ts'

/** How days are written, and the place of year, month and day in what `DAY_PATTERNS` finds. */
export const DAY_FORMATS = ['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY'] as const

/** How days are written in the files. */
export type DayFormat = (typeof DAY_FORMATS)[number]

/** Where the value of a column of the ledger comes from: a column of the files, or the same for every row. */
export type ColumnSource = string | { readonly constant: string }

/** How files are read into a table of the ledger. */
export interface Mapping {
  /** What stands between the values of CSV. */
  readonly delimiter: string
  /** The zone of times that are written without one. */
  readonly timezone: string
  readonly days: DayFormat
  /** By column of the ledger; those that are not here come from columns of their own names. */
  readonly columns: Readonly<Record<string, ColumnSource | undefined>>
  /** Columns of the files that are left out. */
  readonly ignore: readonly string[]
  /** Columns of the ledger whose numbers are no card numbers, whatever they look like. */
  readonly notCardNumbers: readonly string[]
}

const fileColumn = z
  .string()
  .min(1)
  .superRefine((name, context) => {
    const fault = cardColumnFault(name)
    if (fault !== undefined) context.addIssue(fault)
  })

/** The digits that a YAML number keeps whatever they are; it may not be written with more. */
const EXACT_DIGITS = 15

/** A number that means the text that stands in the file: no digit is lost, and no zero counts. */
const exactNumber = z.number().refine(
  (value) => {
    const digits = String(value).replaceAll(/[-.]/g, '')
    return /^\d+$/.test(digits) && digits.length <= EXACT_DIGITS
  },
  { error: `expected quotes around a number of more than ${EXACT_DIGITS} digits` },
)

const EXPECTED_SOURCE = 'expected the name of a column of the files, or "constant" with a value'

/** Where the values of a column of this type come from. A number stands for itself in columns of numbers alone. */
function columnSource(type: string) {
  const isNumeric = /Int|Decimal/.test(type)
  const constant = isNumeric
    ? z.union([z.string(), exactNumber.transform(String)], {
        error: `expected a number of at most ${EXACT_DIGITS} digits, or a text in quotes`,
      })
    : z.string({ error: 'expected a text; put a number in quotes, such as "007"' })
  const named = z.strictObject({ constant })
  // A union would not say which of its members was meant.
  return z.unknown().transform((source, context): ColumnSource => {
    const isConstant = typeof source === 'object' && source !== null
    const parsed = (isConstant ? named : fileColumn).safeParse(source)
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    const isSaid = isConstant ? 'constant' in source : typeof source === 'string'
    context.addIssue({
      code: 'custom',
      message: (isSaid && issue?.message) || EXPECTED_SOURCE,
      path: [...(issue?.path ?? [])],
      input: source,
    })
    return z.NEVER
  })
}

/** The shape of a mapping file for a table; docs/import.md says what each member is for. */
export function mappingSchema(table: LedgerTable) {
  const columns = Object.entries(LEDGER_TABLES[table])
  const names = columns.map(([name]) => name)
  const sources = Object.fromEntries(
    columns.map(([name, { type }]) => [name, columnSource(type).optional()]),
  )
  return z.strictObject({
    delimiter: z.enum([',', ';', '|', '\t']).default(','),
    timezone: z.string().default('UTC'),
    days: z.enum(DAY_FORMATS).default('YYYY-MM-DD'),
    columns: z.strictObject(sources).default({}),
    ignore: z.array(fileColumn).default([]),
    notCardNumbers: z.array(z.enum(names)).default([]),
  })
}

/**
 * Reads a mapping file; without one, the files are as the ledger is.
 * Throws `config` with every fault: file, line, member, and what was expected.
 */
export function readMapping(file: string | undefined, table: LedgerTable): Mapping {
  const schema = mappingSchema(table)
  return file === undefined ? schema.parse({}) : readYaml(file, schema).value
}
