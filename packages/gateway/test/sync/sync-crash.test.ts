// @module-tag long

import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { loadConfig } from '../../src/config/config.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { runCommand } from '../kit/child-gateway.ts'
import { type PostgresServer, startPostgres } from '../kit/postgres-server.ts'
import { writeCommandConfig } from '../kit/import-kit.ts'
import { PAYMENTS, SOURCE } from './sync-kit.ts'

// `SYNC_KILLS=100` for a long run.
const KILLS = Number(process.env['SYNC_KILLS'] ?? 6)

let postgres: PostgresServer
let client: pg.Client
let folder: string
let config: string
let source: string
beforeAll(async () => {
  postgres = await startPostgres()
  client = await postgres.connect()
  await client.query(`SET search_path = public; ${PAYMENTS}`)
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  source = join(folder, 'payments.sql')
  writeFileSync(source, SOURCE)
  config = writeCommandConfig(folder, { databases: { shop: postgres.settings } })
})
afterAll(async () => {
  await client.end()
  await postgres.remove()
  rmSync(folder, { recursive: true })
})

/** What a report would read: each payment with its amount. */
async function readLedger(): Promise<readonly string[]> {
  const engine = await openEngine(loadConfig(config))
  try {
    const sql = `SELECT concat(transaction_id, ' ', merchant_id, ' ', toString(amount)) AS payment
      FROM transactions FINAL ORDER BY payment`
    const rows = await readRows(engine, z.object({ payment: z.string() }), sql)
    return rows.map(({ payment }) => payment)
  } finally {
    await engine.close()
  }
}

async function readDatabase(): Promise<readonly string[]> {
  const { rows } = await client.query(`SELECT payment FROM (
    SELECT id || ' ' || merchant || ' ' || trim_scale(cents / 100.0) AS payment FROM payments
  ) AS payments ORDER BY payment COLLATE "C"`)
  return rows.map((row) => String(row.payment))
}

test('a sync that is killed leaves the ledger before or after it, and the next sync completes it', async () => {
  await client.query(`INSERT INTO payments
    SELECT id, 'm', 100 * id, 'EUR', 'approved', now() - id * INTERVAL '1 day', now() FROM generate_series(10, 60) AS id`)
  const began = performance.now()
  expect((await runCommand(['sync', source, '--config', config]).ended).code).toBe(0)
  const usualMs = performance.now() - began
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const before = await readLedger()
    await client.query(`INSERT INTO payments VALUES (${1000 + kill}, 'm', 1, 'EUR', 'approved', now(), now());
      DELETE FROM payments WHERE id = ${10 + kill};
      UPDATE payments SET cents = cents + 1 WHERE id = ${20 + kill};
      UPDATE payments SET merchant = 'other' WHERE id = ${30 + kill}`)
    const command = runCommand(['sync', source, '--config', config])
    await sleep(randomInt(Math.round(usualMs)))
    command.kill('SIGKILL')
    await command.ended
    const after = await readDatabase()
    expect([before, after], `kill ${kill}`).toContainEqual(await readLedger())
    expect((await runCommand(['sync', source, '--config', config]).ended).code).toBe(0)
    expect(await readLedger()).toEqual(after)
  }
})
