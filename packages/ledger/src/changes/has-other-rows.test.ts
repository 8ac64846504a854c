import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openScratchEngine, type ScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'
import { hasOtherRows } from './has-other-rows.ts'

const ROWS = 20_000

let scratch: ScratchLedger
beforeAll(async () => {
  scratch = await openScratchEngine()
  for (const name of ['here', 'there']) {
    await run(`CREATE TABLE ${name} (month Int32, id Int64, version Int64)
      ENGINE = ReplacingMergeTree(version) ORDER BY (month, id)`)
  }
})
afterAll(() => scratch.close())
beforeEach(async () => {
  await run('TRUNCATE TABLE here')
  await run('TRUNCATE TABLE there')
  await run(`INSERT INTO here SELECT 1, number, 5 FROM numbers(${ROWS})`)
})

async function run(sql: string): Promise<void> {
  await scratch.engine.execute(sql)
}

async function compare(): Promise<boolean> {
  const rows = {
    engine: scratch.engine,
    piece: ['toString(month)', '1'],
    identity: 'toString(id)',
    version: 'version',
  } as const
  return await hasOtherRows({ ...rows, name: 'here' }, { ...rows, name: 'there' })
}

test.each([
  ['no row', 'SELECT 1, 0, 0 WHERE 0'],
  ['the same rows', 'SELECT * FROM here'],
  ['some of the rows', 'SELECT * FROM here WHERE id % 3 = 0'],
  ['older versions', 'SELECT month, id, version - 1 FROM here'],
  ['rows of another month', 'SELECT 2, id + 1, version + 1 FROM here'],
])('a table with %s has no other rows', async (_, select) => {
  await run(`INSERT INTO there ${select}`)
  expect(await compare()).toBe(false)
})

test.each([
  ['a row that is not here', `SELECT 1, ${ROWS}, 5`],
  ['all rows and one more', `SELECT * FROM here UNION ALL SELECT 1, -1, 5`],
  ['a newer version', 'SELECT month, id, version + (id = 777) FROM here'],
])('a table with %s has other rows', async (_, select) => {
  await run(`INSERT INTO there ${select}`)
  expect(await compare()).toBe(true)
  expect(await compare()).toBe(true)
})
