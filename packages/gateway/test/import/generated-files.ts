import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { generateLedger } from '../../../sample-data/src/generate/generate-ledger.ts'
import { LEDGER_TABLES, type LedgerTable } from '../../../ledger/src/model/model.ts'
import { dropMonthsBefore } from '../kit/drop-months.ts'
import type { ImportKit } from '../kit/import-kit.ts'

const TABLES = Object.keys(LEDGER_TABLES) as LedgerTable[]

/** Files of a generated ledger. */
export type ExportedLedger = Readonly<Awaited<ReturnType<typeof exportGeneratedLedger>>>

/**
 * Generates a ledger in the engine of an import kit, and exports its tables: the transactions as `csv.zst`, `jsonl.gz`
 * and `parquet`, the other tables as `csv`.
 */
export async function exportGeneratedLedger(kit: ImportKit) {
  const folder = join(kit.folder, 'exported')
  mkdirSync(folder)
  const path = (table: LedgerTable, ending: string): string => join(folder, `${table}.${ending}`)
  const exportTable = async (table: LedgerTable, ending: string, format: string): Promise<void> => {
    const columns = Object.keys(LEDGER_TABLES[table]).join(', ')
    await kit.engine.execute(
      `INSERT INTO FUNCTION file({path:String}, {format:String}) SELECT ${columns} FROM ${table} FINAL
      SETTINGS format_csv_null_representation = '', output_format_json_quote_64bit_integers = 0`,
      { path: path(table, ending), format },
    )
  }
  for (const table of TABLES) await kit.empty(table)
  await generateLedger(kit.engine, { rows: 2_000, seed: 7 })
  await dropMonthsBefore(kit.engine, '202610')
  const rows = Number(await kit.value('SELECT count() AS value FROM transactions'))
  if (rows <= 50) throw new Error('expected more transactions')
  const contents = new Map<LedgerTable, string>()
  for (const table of TABLES) {
    contents.set(table, await kit.contentOf(table))
    await exportTable(table, 'csv', 'CSVWithNames')
  }
  await exportTable('transactions', 'jsonl', 'JSONEachRow')
  await exportTable('transactions', 'parquet', 'Parquet')
  const read = (ending: string) => readFileSync(path('transactions', ending))
  writeFileSync(path('transactions', 'csv.zst'), zstdCompressSync(read('csv')))
  writeFileSync(path('transactions', 'jsonl.gz'), gzipSync(read('jsonl'), { level: 1 }))
  return {
    /** The number of transactions. */
    rows,
    path,
    /** Identifies what each table had before its export. */
    contents,
    /** Empties a table, imports its file, and adds what the table has then. */
    importAgain: async (table: LedgerTable, ending: string) => {
      await kit.empty(table)
      const imported = await kit.importPaths([path(table, ending)], { table })
      return { ...imported, content: await kit.contentOf(table) }
    },
  }
}
