import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { copyToShards, openShardedLedger, startShards } from '../kit/clickhouse-shards.ts'
import { openScratchLedger } from '../kit/scratch-ledger.ts'
import { anyCase } from './tenancy/cases.ts'
import { answer, fillLedger, readWorld } from './tenancy/world.ts'

const CASES = Number(process.env['TENANCY_CASES'] ?? 40)
const SEED = Number(process.env['TENANCY_SEED'] ?? 1)

/** `tenancy.long.test.ts` proves the scope of the embedded engine. So a sharded ledger has to give the same answers. */
test(`answers ${CASES} requests from two shards as from the embedded engine`, async () => {
  const shards = await startShards()
  onTestFinished(async () => {
    for (const shard of shards) await shard.remove()
  })
  const ledger = await openScratchLedger({ sessions: 2 })
  onTestFinished(() => ledger.close())
  const { engine, folder } = ledger
  await fillLedger(engine, { rows: 6000, seed: SEED, firstMonth: '202606' })
  const world = await readWorld(engine, { seed: SEED, viewers: 6, folder })
  const sharded = await openShardedLedger(shards)
  onTestFinished(() => sharded.close())
  await copyToShards(engine, shards, folder)
  const { catalogue, viewers } = world
  const seen = { rows: 0, other: 0 }
  for (const { viewer, request } of fc.sample(anyCase(world), { numRuns: CASES, seed: SEED })) {
    const seer = viewers[viewer]
    if (!seer) throw new Error(`expected a viewer ${viewer}`)
    const expected = await answer({ engine, catalogue }, seer, seer.role, request)
    const actual = await answer({ engine: sharded.engine, catalogue }, seer, seer.role, request)
    // The servers have their own rules of time zones, and the gateway refuses a zone that differs.
    if (actual.text.includes('different rules for the time zone')) continue
    // The cursor is the time of the run.
    const { text, rows } = actual
    expect([request, seer, { ...expected, text, rows }]).toEqual([request, seer, expected])
    seen[expected.rows > 0 ? 'rows' : 'other'] += 1
  }
  // If all reports were empty or refused, the test would prove nothing.
  expect(seen.rows).toBeGreaterThan(CASES / 3)
})
