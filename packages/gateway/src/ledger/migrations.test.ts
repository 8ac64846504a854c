import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { openScratchEngine } from '../../test/kit/scratch-ledger.ts'
import { readRows } from '../engine/engine.ts'
import { LEDGER_MIGRATIONS } from './migrations.ts'

const scratch = await openScratchEngine()
afterAll(() => scratch.close())

async function run(statements: readonly string[]): Promise<void> {
  for (const statement of statements) await scratch.fill(statement)
}

async function insert(id: number): Promise<void> {
  await scratch.fill(`INSERT INTO transactions (transaction_id, merchant_id, created_at, updated_at)
    VALUES (${id}, 1, '2026-10-01 10:00:00', '2026-10-01 10:00:00')`)
}

const loadedRow = z.object({ id: z.coerce.number(), at: z.string() })

async function readLoaded(): Promise<readonly z.output<typeof loadedRow>[]> {
  const sql = 'SELECT transaction_id AS id, loaded_at AS at FROM transactions ORDER BY id'
  return await readRows(scratch.engine, loadedRow, { sql, parameters: {} })
}

test('rows from before `loaded_at` have a constant that is earlier than every cursor', async () => {
  await run(LEDGER_MIGRATIONS.slice(0, 4).flat())
  await insert(1)
  const step = LEDGER_MIGRATIONS[4] ?? []
  // The first attempt was interrupted.
  await run([...step.slice(0, 1), ...step])
  const migratedAt = Date.now()
  await insert(2)
  const rows = await readLoaded()
  expect(rows[0]).toEqual({ id: 1, at: '2000-01-01 00:00:00.000' })
  const loadedAt = Date.parse(`${rows[1]?.at.replace(' ', 'T')}Z`)
  expect(loadedAt).toBeGreaterThanOrEqual(migratedAt)
  expect(loadedAt).toBeLessThanOrEqual(Date.now())
  // A merge keeps the values.
  await scratch.fill('OPTIMIZE TABLE transactions FINAL')
  expect(await readLoaded()).toEqual(rows)
})
