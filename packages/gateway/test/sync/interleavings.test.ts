// @module-tag long

import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../kit/postgres-server.ts'
import { openSyncKit, PAYMENTS } from './sync-kit.ts'

const ROUNDS = 25
const WRITERS = 4
const TRANSACTIONS = 10
const IDS = 120

let postgres: PostgresServer
let clients: readonly pg.Client[]
let kit: Awaited<ReturnType<typeof openSyncKit>>
beforeAll(async () => {
  postgres = await startPostgres()
  clients = await Promise.all(Array.from({ length: WRITERS }, () => postgres.connect()))
  for (const client of clients) await client.query('SET search_path = public')
  await clients[0]?.query(PAYMENTS)
  kit = await openSyncKit(postgres.settings)
})
afterAll(async () => {
  await kit.close()
  for (const client of clients) await client.end()
  await postgres.remove()
})

const isLikely = (share: number): boolean => randomInt(100) < share * 100

/** A statement that inserts, changes, moves or deletes a payment. Half of the changes do not show in `updated_at`. */
function statement(): string {
  const id = randomInt(IDS)
  const change = isLikely(0.5) ? ', updated_at = now()' : ''
  const created = `now() - INTERVAL '${randomInt(20)} days'`
  const statements = [
    `INSERT INTO payments VALUES (${id}, 'm', ${randomInt(10_000)}, 'EUR', 'approved', ${created}, now()) ON CONFLICT DO NOTHING`,
    `UPDATE payments SET cents = ${randomInt(10_000)}${change} WHERE id = ${id}`,
    `UPDATE payments SET state = 'declined'${change} WHERE id = ${id}`,
    `UPDATE payments SET merchant = 'm${randomInt(3)}', created_at = ${created}${change} WHERE id = ${id}`,
    `DELETE FROM payments WHERE id = ${id}`,
  ]
  return statements[randomInt(statements.length)] ?? ''
}

/** Runs a transaction that commits late, because others and a sync run meanwhile. */
async function runTransaction(client: pg.Client): Promise<void> {
  await client.query('BEGIN')
  try {
    for (let left = 1 + randomInt(4); left > 0; left -= 1) {
      await client.query(statement())
      await sleep(randomInt(60))
    }
    await client.query(isLikely(0.1) ? 'ROLLBACK' : 'COMMIT')
  } catch {
    // Another transaction held its rows, and waited for ours.
    await client.query('ROLLBACK')
  }
}

test(`${ROUNDS * WRITERS * TRANSACTIONS} transactions between and during syncs leave no difference`, async () => {
  const [reader] = clients
  const head = { overlapMinutes: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const writing = { isOver: false }
    const written = Promise.all(
      clients.map(async (client) => {
        for (let left = TRANSACTIONS; left > 0; left -= 1) await runTransaction(client)
      }),
    ).finally(() => (writing.isOver = true))
    while (!writing.isOver) await kit.sync(head)
    await written
    await kit.sync(head)
    const expected = await reader?.query(`SELECT 'p-' || id AS id, merchant,
      trim_scale(cents / 100.0)::text AS amount, state AS status FROM payments ORDER BY id::text COLLATE "C"`)
    expect(await kit.payments(), `round ${round}`).toEqual(expected?.rows)
  }
})
