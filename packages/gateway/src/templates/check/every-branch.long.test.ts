import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { openScratchEngine } from '../../../test/kit/scratch-ledger.ts'
import { readRows } from '../../engine/engine.ts'
import { withEveryBranch } from './every-branch.ts'

const scratch = await openScratchEngine()
const { engine } = scratch
afterAll(() => scratch.close())

const CONDITIONAL = { functions: new Set(['if']) }

test.each([
  ['SELECT if(a, 1, 2)', 'SELECT IF(a, 1, 2)'],
  ['SELECT `if`  /* ( */ (a, 1, 2) -- if(', 'SELECT IF(a, 1, 2)'],
  ['SELECT a ? 1 : 2', 'SELECT IF(a, 1, 2)'],
  ['SELECT CASE WHEN a THEN 1 ELSE 2 END', 'SELECT caseWithoutExpression(a, 1, 2)'],
  ['SELECT multiIf(a, if(b, 1, 2), 3)', 'SELECT caseWithoutExpression(a, IF(b, 1, 2), 3)'],
  ["SELECT 'if(', `if`, sumIf(a, {p:UInt8})", "SELECT 'if(', if, sumIf(a, {p:UInt8})"],
])('writes %s as %s', async (sql, expected) => {
  expect((await withEveryBranch(engine, sql, CONDITIONAL)).replaceAll('`', '')).toBe(expected)
})

test('leaves a query without a condition as it is', async () => {
  const sql = 'SELECT  1 -- one'
  expect(await withEveryBranch(engine, sql, { functions: new Set(['plus']) })).toBe(sql)
})

test('the engine leaves out branches of if and multiIf only, and of neither under its other name', async () => {
  const row = z.object({ name: z.string() })
  const sql = 'SELECT name FROM system.functions WHERE NOT is_aggregate ORDER BY name'
  const functions = await readRows(engine, row, { sql, parameters: {} })
  expect(functions.length).toBeGreaterThan(1000)
  const leaving: string[] = []
  for (const { name } of functions) {
    const call = `\`${name}\`('x' = 'x', '', toUInt8('x'))`
    const explain = `SELECT * FROM (EXPLAIN QUERY TREE passes = 1 SELECT ${call})`
    const query = { sql: explain, parameters: {}, settings: { readonly: 2 } }
    await readRows(engine, z.unknown(), query).then(
      () => leaving.push(name),
      () => {},
    )
  }
  expect(leaving).toEqual(['if', 'multiIf'])
}, 180_000)
