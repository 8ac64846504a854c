import { basename, dirname, resolve } from 'node:path'
import * as z from 'zod'
import { checkYaml, GatewayError, readText } from '@counterfoil/common'
import { isLedgerTable, LEDGER_TABLES } from '../../model/model.ts'

/** The formats of days in the files. `DAYS` in `times.ts` has the pattern of each. */
export const DAY_FORMATS = [
  'YYYY-MM-DD',
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'DD-MM-YYYY',
  'MM/DD/YYYY',
] as const

export type DayFormat = (typeof DAY_FORMATS)[number]

export const FILE_FORMATS = ['csv', 'json', 'parquet'] as const

/** The names of tables and columns that a SELECT can use without quotes. */
const plainName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, {
  error: 'expected a name of letters, digits and _',
})

const TIME_COLUMN = 'expected a column of the query with a time'

/** How a source reads a database. docs/sync.md explains each member. */
export const databaseSchema = z.strictObject({
  name: z.string().min(1),
  query: z.string().min(1),
  /** The column of the query that identifies a row. */
  key: z.string().min(1),
  /** The column with the time of a row's last change. */
  changed: z.string().min(1, { error: TIME_COLUMN }).optional(),
  /** How many minutes before the newest change a sync reads again: longer than a transaction of the database takes. */
  overlapMinutes: z.int().min(0).max(10_080).default(10),
  /** The column with the time at which a row was created. */
  created: z.string().min(1, { error: TIME_COLUMN }).optional(),
  /** How many days of creation a sync compares with the database. */
  comparedDays: z.int().min(1).max(10_000).default(31),
})

export type DatabaseHead = z.output<typeof databaseSchema>

const tables = Object.keys(LEDGER_TABLES).join(', ')
const ledgerTable = z.string().refine(isLedgerTable, { error: `expected one of ${tables}` })

/** The head of a source file. docs/own-data.md explains each member. */
export const headSchema = z.strictObject({
  table: ledgerTable.default('transactions'),
  database: databaseSchema.optional(),
  format: z.enum(FILE_FORMATS).optional(),
  delimiter: z.enum([',', ';', '|', '\t']).default(','),
  encoding: z
    .string()
    .refine(isEncoding, { error: 'expected an encoding such as windows-1252 or utf-16le' })
    .default('utf-8'),
  skipLines: z.int().min(0).max(1000).default(0),
  columns: z.array(plainName).min(1).optional(),
  quotes: z.boolean().default(true),
  ragged: z.boolean().default(false),
  timezone: z.string().optional(),
  days: z.enum(DAY_FORMATS).default('YYYY-MM-DD'),
  exponents: z.record(z.string().regex(/^[A-Z]{3}$/), z.int().min(0).max(4)).default({}),
  lookups: z.record(plainName, z.string().min(1)).default({}),
  notCardNumbers: z.array(z.string()).default([]),
})

export type SourceHead = z.output<typeof headSchema>

/** How files become rows of the ledger: one SQL file. */
export interface Source extends SourceHead {
  /** The name of the file, without its ending. */
  readonly name: string
  readonly path: string
  /** One SELECT, which reads the table `file`. */
  readonly select: string
  /** The line of the file at which the SELECT begins. */
  readonly selectLine: number
  readonly text: string
}

const HEAD_LINE = /^--( |$)/

/**
 * Reads a source file: a head of YAML in comments, and one SELECT.
 *
 * @throws {GatewayError} `config` with a line for each fault
 */
export function readSource(path: string): Source {
  return parseSource(readText(path, 'config'), path)
}

export function parseSource(text: string, path: string): Source {
  const lines = text.replace(/^\u{feff}/u, '').split(/\r?\n/)
  const length = lines.findIndex((line) => !HEAD_LINE.test(line))
  const head = lines.slice(0, length < 0 ? lines.length : length)
  const yaml = head.map((line) => line.slice(3)).join('\n')
  const hasMembers = head.some((line) => !/^--\s*(#|$)/.test(line))
  const checked = checkYaml(hasMembers ? yaml : '{}', path, headSchema)
  const known = Object.keys(LEDGER_TABLES[checked.value.table])
  const unknown = checked.value.notCardNumbers.find((column) => !known.includes(column))
  if (unknown !== undefined) {
    const line = checked.lineOf(['notCardNumbers'])
    const message = `notCardNumbers: ${checked.value.table} has no column ${unknown}`
    throw new GatewayError('config', `${path}:${line}: ${message}`)
  }
  const select = lines
    .slice(head.length)
    .join('\n')
    .replace(/[\s;]+$/, '')
  if (select.trim() === '') {
    throw new GatewayError('config', `${path}:${lines.length}: expected a SELECT after the head`)
  }
  const lookups = Object.fromEntries(
    Object.entries(checked.value.lookups).map(([table, file]) => [
      table,
      resolve(dirname(path), file),
    ]),
  )
  return {
    ...checked.value,
    lookups,
    name: basename(path).replace(/\.sql$/, ''),
    path,
    select,
    selectLine: head.length + 1,
    text,
  }
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    return false
  }
}
