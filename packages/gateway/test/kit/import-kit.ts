import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { stringify } from 'yaml'
import * as z from 'zod'
import { type Queries, readRows } from '../../../engine/src/engine/engine.ts'
import type { IdRange } from '../../../ledger/src/import/check/column-kinds.ts'
import { importFiles } from '../../../ledger/src/import/import-files.ts'
import { createImports, type LedgerAccess } from '../../../ledger/src/import/imports.ts'
import type { JudgedRows } from '../../../ledger/src/import/judge-rows.ts'
import { parseSource, type Source } from '../../../ledger/src/import/source/source.ts'
import { LedgerChanges } from '../../../ledger/src/changes/ledger-changes.ts'
import { LEDGER_TABLES, type LedgerTable } from '../../../ledger/src/model/model.ts'
import type { Severity } from '../../../ledger/src/rules/rules.ts'
import { useScratchLedger } from './scratch-ledger.ts'

/** A row of a file by its columns. A column without a value is NULL. */
export type FileRow = Readonly<Record<string, string | undefined>>

/** A refused row, as the list of refused rows has it. */
export interface RefusedRow {
  readonly file: string
  readonly line: number
  readonly reasons: readonly string[]
  readonly id: string
}

/** The result of an import. */
export type Imported = JudgedRows & { readonly refusedRows: readonly RefusedRow[] }

/** How an import differs from one of transactions whose files have the names of the ledger. */
export interface ImportChange {
  readonly table?: LedgerTable
  /** Lines of the head. */
  readonly head?: readonly string[]
  readonly select?: string
  readonly engine?: Queries
  readonly reservedIds?: IdRange
  readonly severities?: Readonly<Record<string, Severity>>
}

/** A separate ledger. */
export type ImportKit = Readonly<Awaited<ReturnType<typeof useImportKit>>>

/** The clock of an import kit: its rows are in the past. */
const NOW = Date.parse('2027-01-01T00:00:00Z')

/** A valid transaction. Another number makes another transaction. */
export function transactionRow(number: number, change: FileRow = {}): FileRow {
  return {
    transaction_id: String(1_000_000_000_000_000_000n + BigInt(number)),
    order_id: String(7000 + number),
    client_order_id: `ORD-${number}`,
    transaction_type: 'sale',
    status: 'approved',
    created_at: '2026-10-01 10:00:00.000',
    updated_at: '2026-10-01 10:00:05.123',
    row_version: '1',
    amount: '10.50',
    currency: 'EUR',
    ...Object.fromEntries(HIERARCHY.map((name) => [name, '1'])),
    ...change,
  }
}

const HIERARCHY = 'gate company project endpoint merchant processor manager'
  .split(' ')
  .map((name) => `${name}_id`)

/** The line and the reasons of each refused row. */
export function reasonsIn({ refusedRows }: Pick<Imported, 'refusedRows'>) {
  return refusedRows.map(({ line, reasons }) => [line, ...reasons])
}

/** Writes rows as CSV. Every value is quoted, and NULL is empty. */
export function csvOf(rows: readonly FileRow[], delimiter = ','): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cell = (value: string | undefined) => {
    return value === undefined ? '' : `"${value.replaceAll('"', '""')}"`
  }
  const lines = rows.map((row) => names.map((name) => cell(row[name])).join(delimiter))
  const header = names.map((name) => (/^\w+$/.test(name) ? name : cell(name))).join(delimiter)
  return `${[header, ...lines].join('\n')}\n`
}

/** The ledger of an engine, for imports. */
export function ledgerAccess(engine: Queries, changes = new LedgerChanges()): LedgerAccess {
  return { engine, imports: createImports({ engine, changes, isShared: false }) }
}

/** A source for files whose columns have the names of the ledger. */
export function ownSource({
  table = 'transactions',
  head = ['timezone: UTC'],
  select = 'SELECT * FROM file',
}: ImportChange = {}): Source {
  const lines = [`table: ${table}`, ...head].map((line) => `-- ${line}\n`)
  return parseSource(lines.join('') + select, 'own.sql')
}

/** Writes a source for files whose columns have the names of the ledger, and returns its path. */
export function writeOwnSource(folder: string, table: LedgerTable = 'transactions'): string {
  const path = join(folder, `${table}.sql`)
  writeFileSync(path, `-- table: ${table}\n-- timezone: UTC\nSELECT * FROM file\n`)
  return path
}

/** Writes the configuration of commands that no gateway needs to serve, and returns its path. */
export function writeCommandConfig(
  folder: string,
  change: object = {},
  name = 'gateway.yaml',
): string {
  const settings = {
    environment: 'sandbox',
    publicUrl: 'http://127.0.0.1:8080',
    reportPath: '/report',
    dataDir: 'data',
    reports: 'reports',
    masterKeys: [{ version: 1, file: 'none' }],
    ...change,
  }
  writeFileSync(join(folder, name), stringify(settings))
  return join(folder, name)
}

/** Opens a ledger for imports until the last test of the file has run. */
export async function useImportKit() {
  const { engine, folder } = await useScratchLedger()
  /** The single value of a query. */
  const value = async (sql: string): Promise<string> => {
    const row = z.object({ value: z.coerce.string() })
    return (await readRows(engine, row, sql))[0]?.value ?? ''
  }
  /** Imports existing files. */
  const importPaths = async (
    paths: readonly string[],
    change: ImportChange = {},
  ): Promise<Imported> => {
    const { reservedIds, severities = {} } = change
    const refusedFile = join(mkdtempSync(join(folder, 'refused-')), 'rows.csv')
    const requireNoTables = async () => {
      const left = "SELECT count() AS value FROM system.tables WHERE startsWith(name, 'import_')"
      if ((await value(left)) !== '0') throw new Error('expected no table of an import')
    }
    const result = await importFiles(ledgerAccess(change.engine ?? engine), {
      files: paths,
      source: ownSource(change),
      dataDir: folder,
      refusedFile,
      reservedIds,
      severities,
      now: () => NOW,
    }).finally(requireNoTables)
    return { ...result, refusedRows: readRefused(refusedFile) }
  }
  return {
    engine,
    folder,
    importPaths,
    /** Writes a file and imports it. */
    importText: async (name: string, text: string | Uint8Array, change?: ImportChange) => {
      const path = join(mkdtempSync(join(folder, 'file-')), name)
      writeFileSync(path, text)
      return await importPaths([path], change)
    },
    /** Writes files with their names, and imports all of them. */
    importTexts: async (texts: Readonly<Record<string, string>>, change?: ImportChange) => {
      const paths = Object.entries(texts).map(([name, text]) => {
        writeFileSync(join(folder, name), text)
        return join(folder, name)
      })
      return await importPaths(paths, change)
    },
    value,
    /** The values of columns in every row: of transactions by their ids, unless `from` says otherwise. */
    select: async (
      columns: string,
      from = '(SELECT * FROM transactions FINAL ORDER BY transaction_id)',
    ) => {
      const sql = `SELECT toJSONString(groupArray(tuple(${columns}))) AS value FROM ${from}`
      return JSON.parse(await value(sql))
    },
    /** Identifies what reports see of a table: its number of rows, and a hash of them. */
    contentOf: async (table: LedgerTable) => {
      const columns = Object.keys(LEDGER_TABLES[table]).join(', ')
      const hash = `groupBitXor(sipHash64(toString(tuple(${columns}))))`
      return await value(
        `SELECT concat(toString(count()), ' ', toString(${hash})) AS value FROM ${table} FINAL`,
      )
    },
    /** Removes all rows of a table. */
    empty: async (table: LedgerTable) => await engine.execute(`TRUNCATE TABLE ${table}`),
  }
}

function readRefused(path: string): readonly RefusedRow[] {
  if (!existsSync(path)) return []
  const [header = [], ...rows]: string[][] = parse(readFileSync(path))
  if (header.slice(0, 3).join() !== 'file,line,reasons') throw new Error(header.join())
  return rows.map(([file = '', line, reasons = '', id = '']) => ({
    file,
    line: Number(line),
    reasons: reasons.split('; '),
    id,
  }))
}
