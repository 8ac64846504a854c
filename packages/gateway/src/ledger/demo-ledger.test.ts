import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FILTER_NAMES } from '@counterfoil/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { openEmbeddedEngine } from '../engine/embedded.ts'
import { type Engine, readRows } from '../engine/engine.ts'
import { fillDemoLedger } from './demo-ledger.ts'
import { FILTER_COLUMNS, HIERARCHY, ROLE_COLUMNS } from './hierarchy.ts'
import { createLedger, reloadNames } from './schema.ts'

const ROWS = 12_000
const CONTENT = 'SELECT toString(sum(cityHash64(*))) AS value FROM transactions'

let directory: string
let engine: Engine
const progress: number[] = []
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  engine = openEmbeddedEngine({
    directory,
    sessions: 2,
    queueLength: 4,
    queueWaitMs: 5_000,
    querySeconds: 60,
    queryBytesMax: 1024 ** 3,
    engineBytesMax: 2 * 1024 ** 3,
  })
  await fillDemoLedger(engine, { rows: ROWS, onProgress: (done) => progress.push(done) })
})
afterAll(async () => {
  await engine.close()
  rmSync(directory, { recursive: true })
})

/** The one value of a query. */
async function value(sql: string): Promise<string> {
  const [row] = await readRows(engine, z.object({ value: z.coerce.string() }), {
    sql,
    parameters: {},
  })
  return row?.value ?? ''
}

test('the ledger has as many transactions as it was asked for, over 24 months of one part each', async () => {
  expect(progress).toHaveLength(24)
  expect(progress.at(-1)).toBe(ROWS)
  expect(await value('SELECT count() AS value FROM transactions FINAL')).toBe(String(ROWS))
  expect(await value('SELECT uniqExact(transaction_id) AS value FROM transactions')).toBe(
    String(ROWS),
  )
  const parts = "FROM system.parts WHERE table = 'transactions' AND active"
  expect(await value(`SELECT count() AS value ${parts}`)).toBe('24')
  expect(await value(`SELECT uniqExact(partition) AS value ${parts}`)).toBe('24')
})

test('the same number of rows is the same ledger', async () => {
  const before = await value(CONTENT)
  const sql =
    "SELECT name FROM system.tables WHERE database = 'default' AND engine LIKE '%MergeTree'"
  const tables = await readRows(engine, z.object({ name: z.string() }), { sql, parameters: {} })
  for (const { name } of tables) await engine.execute(`TRUNCATE TABLE ${name}`)
  expect(await value('SELECT count() AS value FROM transactions')).toBe('0')
  await fillDemoLedger(engine, { rows: ROWS })
  expect(await value(CONTENT)).toBe(before)
})

test('every transaction belongs together as its dimensions say', async () => {
  const ids = ['merchant', 'company', 'manager', 'project', 'endpoint', 'gate', 'processor']
  const key = [...ids.map((id) => `${id}_id`), 'ifNull(reseller_id, 0)', 'currency'].join(', ')
  const lost = `SELECT count() AS value FROM transactions WHERE (${key}) NOT IN (SELECT ${key} FROM (${HIERARCHY}))`
  expect(await value(lost)).toBe('0')
  for (const filter of FILTER_NAMES) {
    const column = FILTER_COLUMNS[filter]
    const values = await value(`SELECT uniq(${column}) AS value FROM transactions`)
    expect([filter, Number(values) > 1]).toEqual([filter, true])
  }
  for (const column of Object.values(ROLE_COLUMNS)) expect(HIERARCHY).toContain(column)
})

test('amounts have no more digits than their currency, and no currency more than three', async () => {
  const digits = "length(splitByChar('.', toString(amount))[2])"
  const sql = `SELECT countIf(${digits} > exponent) AS value FROM transactions JOIN currencies USING currency`
  expect(await value(sql)).toBe('0')
  expect(await value('SELECT max(exponent) AS value FROM currencies')).toBe('3')
})

test('some descriptions are hard to write as CSV', async () => {
  for (const text of ["'%\\r\\n%'", "'%\"%'", "'=%'", "'%😀%'"]) {
    const count = await value(
      `SELECT count() AS value FROM transactions WHERE order_description LIKE ${text}`,
    )
    expect([text, Number(count) > 0]).toEqual([text, true])
  }
})

test('making the tables again changes nothing', async () => {
  const before = await value(CONTENT)
  await createLedger(engine)
  expect(await value(CONTENT)).toBe(before)
})

test('names come by dictionary, and changes of them when they are loaded again', async () => {
  const name = "SELECT dictGet('merchant_names', 'name', toInt32(1)) AS value"
  expect(await value(name)).toBe('Shop 1, Ltd')
  const changed = "* REPLACE ('Renamed' AS name)"
  await engine.execute(
    `INSERT INTO merchants SELECT ${changed} FROM merchants FINAL WHERE merchant_id = 1`,
  )
  await reloadNames(engine)
  expect(await value(name)).toBe('Renamed')
})

test('the ledger’s key is the order of its reports, and there is no place for a PAN or a CVV', async () => {
  const table = "FROM system.tables WHERE name = 'transactions'"
  expect(await value(`SELECT sorting_key AS value ${table}`)).toBe(
    'merchant_id, created_at, transaction_id',
  )
  expect(await value(`SELECT partition_key AS value ${table}`)).toBe('toYYYYMM(created_at)')
  expect(await value(`SELECT engine_full AS value ${table}`)).toMatch(
    /^ReplacingMergeTree\(row_version\)/,
  )
  const columns =
    "FROM system.columns WHERE table = 'transactions' AND match(name, '(?i)(^|_)(pan|cvv|cvc|card_number)')"
  expect(await value(`SELECT count() AS value ${columns}`)).toBe('0')
})
