import * as z from 'zod'
import { readYaml } from '@counterfoil/common'
import { LEDGER_TABLES, type LedgerTable } from '../model/model.ts'
import { cardColumnFault } from './card-numbers.ts'

/** The formats of days in the files. `DAYS` in `times.ts` has the pattern of each. */
export const DAY_FORMATS = ['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY'] as const

/** The format of days in the files. */
export type DayFormat = (typeof DAY_FORMATS)[number]

/** The source of a ledger column: a column of the files, or one value for every row. */
export type ColumnSource = string | { readonly constant: string }

/** How files are read into a table of the ledger. */
export interface Mapping {
  /** The delimiter of CSV. */
  readonly delimiter: string
  /** The zone of times without a zone. */
  readonly timezone: string
  readonly days: DayFormat
  /** By ledger column. A column that is missing here comes from a file column of the same name. */
  readonly columns: Readonly<Record<string, ColumnSource | undefined>>
  /** Columns of the files that are not imported. */
  readonly ignore: readonly string[]
  /** Ledger columns that are not searched for card numbers. */
  readonly notCardNumbers: readonly string[]
}

const fileColumn = z
  .string()
  .min(1)
  .superRefine((name, context) => {
    const fault = cardColumnFault(name)
    if (fault !== undefined) context.addIssue(fault)
  })

/** YAML reads a number of up to 15 digits without loss. Longer numbers need quotes. */
const EXACT_DIGITS = 15

/** A number whose text is the one in the file, without a lost digit. */
const exactNumber = z.number().refine(
  (value) => {
    const digits = String(value).replaceAll(/[-.]/g, '')
    return /^\d+$/.test(digits) && digits.length <= EXACT_DIGITS
  },
  { error: `expected quotes around a number of more than ${EXACT_DIGITS} digits` },
)

const EXPECTED_SOURCE = 'expected the name of a column of the files, or "constant" with a value'

/** The schema of a column's source. Only columns of numbers accept an unquoted number. */
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

/** The schema of a mapping file for a table. docs/import.md explains each member. */
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
 * Reads a mapping file. Without a file, the mapping expects the ledger's own columns.
 *
 * @throws {GatewayError} `config` with every fault: file, line, member and expected value
 */
export function readMapping(file: string | undefined, table: LedgerTable): Mapping {
  const schema = mappingSchema(table)
  return file === undefined ? schema.parse({}) : readYaml(file, schema).value
}
