import { beforeAll, expect, test } from 'vitest'
import { useScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'
import { checkTree, readRefusedFunctions } from './check-sql.ts'

const ledger = await useScratchLedger()
let refused: ReadonlySet<string>
beforeAll(async () => {
  refused = await readRefusedFunctions(ledger.engine)
})

const tree = (sql: string, parameters = {}) => {
  return checkTree(ledger.engine, { sql, parameters, texts: new Set() }, refused)
}

test('returns the tables and shared aliases of a valid query', async () => {
  const sql = `SELECT merchant_name AS m, amount * 2 AS a, {p:UInt8} AS p FROM transactions AS t
  WHERE currency IN (SELECT currency FROM gates)`
  expect(await tree(sql, { p: '1' })).toEqual({
    tables: ['transactions', 'gates'],
    sharedAliases: ['m', 'a', 'p', 't'],
    faults: [],
  })
  expect((await tree('SELECT 1')).tables).toEqual([])
})

test('finds every table, whatever values the check uses', async () => {
  const { tables, faults } = await tree(
    `SELECT 1 FROM transactions WHERE created_at >= {from:String} AND created_at < {from:String}
    AND if({from:String} = '2026', 1, toUInt8({from:String}) IN (SELECT merchant_id FROM merchants))
    AND gate_id IN (SELECT gate_id FROM gates)`,
    { from: '2026' },
  )
  expect(tables).toEqual(['transactions', 'merchants', 'gates'])
  expect(faults).toEqual([])
})

test('a table of another database, or a view, is not a table of the ledger', async () => {
  await ledger.engine.execute('CREATE DATABASE IF NOT EXISTS other ENGINE = Memory')
  await ledger.engine.execute('CREATE TABLE other.transactions (a Int8) ENGINE = Memory')
  await ledger.engine.execute('CREATE VIEW seen AS SELECT * FROM transactions')
  for (const table of ['other.transactions', 'default.seen']) {
    const { faults } = await tree(`SELECT * FROM ${table}`)
    expect(faults).toEqual([expect.stringContaining(`got ${table}`)])
  }
})
