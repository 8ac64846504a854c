import * as z from 'zod'
import { readYaml } from '../../config/read-yaml.ts'
import { LEDGER_TABLES, type LedgerTable } from '../model.ts'
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
const columnSource = z.union([fileColumn, z.strictObject({ constant: z.string() })], {
  error: 'expected the name of a column of the files, or "constant" with a value',
})

/** The shape of a mapping file for a table; docs/import.md says what each member is for. */
export function mappingSchema(table: LedgerTable) {
  const names = Object.keys(LEDGER_TABLES[table])
  const sources = Object.fromEntries(names.map((name) => [name, columnSource.optional()]))
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
