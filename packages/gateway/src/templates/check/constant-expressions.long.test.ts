import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { insertRows } from '../../../test/kit/ledger-rows.ts'
import { openScratchLedger, type ScratchLedger } from '../../../test/kit/scratch-ledger.ts'
import { parseNodes } from '../../clickhouse/query-tree.ts'
import { readRows } from '../../engine/engine.ts'
import { readRefusedFunctions } from './check-sql.ts'
import { isConstant } from './constant-expressions.ts'
import { functionName, namedAmong, withDescendants } from './written-nodes.ts'

/** Expressions with a column, each of another type. */
const COLUMNS = [
  'merchant_id',
  'currency',
  'order_description',
  'toFixedString(currency, 3)',
  'amount',
  'created_at',
  '[currency]',
  '(currency, status)',
]

/** What else a function may get. */
const OTHERS = ['merchant_id', '1', "'a'", '[]', 'tuple()', 'NULL']

let ledger: ScratchLedger
beforeAll(async () => {
  ledger = await openScratchLedger()
  const row = { createdAt: '2026-10-20 10:00:00.000', description: 'text', orderId: 'order' }
  await insertRows(ledger.engine, [{ ...row, id: 1n, merchant: 1, amount: '5.00' }])
})
afterAll(async () => await ledger.close())

async function readFunctions(): Promise<readonly string[]> {
  const refused = await readRefusedFunctions(ledger.engine)
  const sql = `SELECT name FROM system.functions WHERE NOT is_aggregate ORDER BY name`
  const rows = await readRows(ledger.engine, z.object({ name: z.string() }), {
    sql,
    parameters: {},
  })
  return rows.map(({ name }) => name).filter((name) => !refused.has(name.toLowerCase()))
}

/** Whether the engine knows the value of a call without a row. */
async function isKnownToEngine(call: string): Promise<boolean> {
  const sql = `SELECT isConstant(${call}) AS known FROM transactions`
  const row = z.object({ known: z.coerce.number() })
  try {
    const [read] = await readRows(ledger.engine, row, { sql, parameters: {} })
    return read?.known === 1
  } catch {
    // The function takes other arguments.
    return false
  }
}

async function isKnownToCheck(call: string): Promise<boolean> {
  const sql = `SELECT * FROM (EXPLAIN QUERY TREE run_passes = 0 SELECT ${call} FROM transactions)`
  const row = z.object({ explain: z.string() })
  const lines = await readRows(ledger.engine, row, {
    sql,
    parameters: {},
    // With readonly=1, a query cannot read the result of EXPLAIN.
    settings: { readonly: 2 },
  })
  const explained = lines.map(({ explain }) => explain).join('\n')
  const nodes = parseNodes(explained).flatMap(withDescendants)
  const node = nodes.find(({ text }) => functionName(text) !== '')
  return node !== undefined && isConstant(node, namedAmong(nodes))
}

test('knows each function whose value the engine knows although an argument is a column', async () => {
  const functions = await readFunctions()
  expect(functions.length).toBeGreaterThan(1_000)
  const missed: string[] = []
  let found = 0
  for (const name of functions) {
    const calls = [
      ...COLUMNS.map((column) => `${name}(${column})`),
      ...OTHERS.flatMap((other) => [
        `${name}(currency, ${other})`,
        `${name}([currency], ${other})`,
      ]),
    ]
    for (const call of calls) {
      if (!(await isKnownToEngine(call))) continue
      found += 1
      if (!(await isKnownToCheck(call))) missed.push(call)
    }
  }
  expect(missed).toEqual([])
  expect(found).toBeGreaterThan(100)
}, 900_000)
