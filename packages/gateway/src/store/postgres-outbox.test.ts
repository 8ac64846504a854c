import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../../test/kit/postgres-server.ts'
import { LIMITS } from '../limits.ts'
import { openPostgresStore } from './postgres-store.ts'
import type { Store } from './store.ts'

const AT_ONCE = 2 * LIMITS.relayBatchEntriesMax

let postgres: PostgresServer
let store: Store
beforeAll(async () => {
  postgres = await startPostgres()
  store = await openPostgresStore(postgres.settings)
})
beforeEach(() => postgres.query('TRUNCATE ledger_entries'))
afterAll(async () => {
  await store.close()
  await postgres.remove()
})

/** Inserts more relayed entries than a statement changes. */
async function insertRelayed(relayedAtMs: number): Promise<void> {
  await postgres.query(`INSERT INTO ledger_entries (due_at, rows, relayed_at)
    SELECT 0, '{}', ${relayedAtMs} FROM generate_series(1, ${AT_ONCE + 2})`)
}

test('prunes many relayed entries a few at a time', async () => {
  await insertRelayed(1)
  for (const entries of [2, 0]) {
    await store.outbox.markRelayed([], new Date())
    expect(await postgres.query('SELECT FROM ledger_entries')).toHaveLength(entries)
  }
})

test('makes many entries due again a few at a time', async () => {
  await insertRelayed(Date.now())
  await postgres.query(`CREATE TABLE statements (entries bigint);
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO statements SELECT count(*) FROM changed; RETURN NULL; END';
    CREATE TRIGGER noted AFTER UPDATE ON ledger_entries
      REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note()`)
  await store.outbox.makeDueAgain(new Date())
  expect(await store.outbox.listDue(new Date(), 2 * AT_ONCE)).toHaveLength(AT_ONCE + 2)
  const [most] = await postgres.query('SELECT max(entries)::int AS entries FROM statements')
  expect(most).toEqual({ entries: AT_ONCE })
})
