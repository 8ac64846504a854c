import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { openScratchEngine } from '../../../gateway/test/kit/scratch-ledger.ts'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { LEDGER_MIGRATIONS, migrateLedger } from './migrate-ledger.ts'
import { isLedgerTable, LEDGER_TABLES, storedColumns } from './model.ts'
import { REPORT_COLUMNS } from './names.ts'

const scratch = await openScratchEngine()
const { engine } = scratch
afterAll(() => scratch.close())

const columnRow = z.object({ table: z.string(), name: z.string(), type: z.string() })

async function readColumns(): Promise<Record<string, Record<string, string>>> {
  const sql = `SELECT table, name, type FROM system.columns
    WHERE database = 'default' AND default_kind != 'ALIAS' AND table NOT LIKE '%_names' AND name != 'import_id'
    ORDER BY table, position`
  const rows = await readRows(engine, columnRow, sql)
  const tables: Record<string, Record<string, string>> = {}
  for (const { table, name, type } of rows) (tables[table] ??= {})[name] = type
  return tables
}

async function readNames(table: string): Promise<readonly string[]> {
  const sql = `SELECT name FROM system.columns WHERE table = {table:String} AND name != 'import_id'
    ORDER BY position`
  const row = z.object({ name: z.string() })
  return (await readRows(engine, row, { sql, parameters: { table } })).map(({ name }) => name)
}

async function readVersions(): Promise<readonly number[]> {
  const row = z.object({ version: z.number() })
  const sql = 'SELECT version FROM ledger_versions ORDER BY version'
  return (await readRows(engine, row, sql)).map(({ version }) => version)
}

test('creates the tables of the model, after an interruption too', async () => {
  for (const statement of LEDGER_MIGRATIONS[0]?.slice(0, -3) ?? []) await engine.execute(statement)
  await migrateLedger(engine)
  const {
    ledger_versions: versions,
    ledger_imports: imports,
    ledger_syncs: syncs,
    synced_rows: synced,
    ...tables
  } = await readColumns()
  expect([versions, imports, syncs, synced]).not.toContain(undefined)
  const model = Object.keys(LEDGER_TABLES)
    .filter(isLedgerTable)
    .map((table) => {
      const columns = Object.entries(storedColumns(table))
      return [table, Object.fromEntries(columns.map(([name, { type }]) => [name, type]))]
    })
  expect(tables).toEqual(Object.fromEntries(model))
  expect(await readVersions()).toEqual(LEDGER_MIGRATIONS.map((_, index) => index + 1))
})

test('every ledger has the currencies of ISO 4217, and keeps those that it had', async () => {
  const codes = "'BHD', 'CLF', 'EUR', 'ISK', 'JPY'"
  const sql = `SELECT currency, exponent FROM currencies FINAL WHERE currency IN (${codes}) ORDER BY currency`
  const row = z.object({ currency: z.string(), exponent: z.number() })
  const read = async () => await readRows(engine, row, sql)
  const iso = { BHD: 3, EUR: 2, ISK: 0, JPY: 0 }
  expect(Object.fromEntries((await read()).map((one) => [one.currency, one.exponent]))).toEqual(iso)
  await engine.execute("INSERT INTO currencies VALUES ('ISK', 2)")
  for (const statement of LEDGER_MIGRATIONS.flat()) await engine.execute(statement)
  expect(await read()).toContainEqual({ currency: 'ISK', exponent: 2 })
})

test('reports may read every column of the ledger’s tables but the import of a row', async () => {
  expect(Object.keys(REPORT_COLUMNS)).toEqual(Object.keys(LEDGER_TABLES))
  for (const [table, columns] of Object.entries(REPORT_COLUMNS)) {
    expect([...columns].toSorted()).toEqual([...(await readNames(table))].toSorted())
  }
})

test('a step can run twice, and a recorded step does not run again', async () => {
  for (const statement of LEDGER_MIGRATIONS.flat()) await engine.execute(statement)
  const before = await readVersions()
  await migrateLedger(engine)
  expect(await readVersions()).toEqual(before)
})

test('a row without a version has the time of its last change as its version', async () => {
  for (const [status, at] of [
    ['processing', '10:00:00'],
    ['approved', '10:00:01'],
    ['declined', '09:59:59'],
  ]) {
    await engine.execute(`INSERT INTO transactions (transaction_id, merchant_id, created_at, updated_at, status)
      VALUES (1, 1, '2026-10-01 10:00:00', '2026-10-01 ${at}', '${status}')`)
  }
  const row = z.object({ status: z.string(), version: z.string() })
  const sql = 'SELECT status, row_version AS version FROM transactions FINAL'
  const rows = await readRows(engine, row, sql)
  const version = String(Date.parse('2026-10-01T10:00:01Z'))
  expect(rows).toEqual([{ status: 'approved', version }])
})

test('no column holds a PAN or a CVV', () => {
  const names = Object.values(LEDGER_TABLES).flatMap((columns) => Object.keys(columns))
  expect(names.filter((name) => /pan\b|card_?n(o|um)|cvv|cvc|cv2|track|pin\b/.test(name))).toEqual(
    [],
  )
})

test('refuses a ledger that a newer gateway created', async () => {
  await engine.execute('INSERT INTO ledger_versions VALUES (99, now64(3))')
  await expect(migrateLedger(engine)).rejects.toThrow(
    'of a newer gateway. This gateway reads versions up to',
  )
})
