// @module-tag long

import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listImports } from '../../../ledger/src/import/import-records.ts'
import { type PostgresServer, startPostgres } from '../kit/postgres-server.ts'
import { openSyncKit, PAYMENTS } from './sync-kit.ts'

let postgres: PostgresServer
let client: pg.Client
let kit: Awaited<ReturnType<typeof openSyncKit>>
beforeAll(async () => {
  postgres = await startPostgres()
  client = await postgres.connect()
  await client.query('SET search_path = public')
  kit = await openSyncKit(postgres.settings)
})
afterAll(async () => {
  await kit.close()
  await client.end()
  await postgres.remove()
})
beforeEach(async () => {
  await client.query(`DROP TABLE IF EXISTS payments; ${PAYMENTS}`)
  for (const table of ['transactions', 'synced_rows', 'ledger_syncs']) {
    await kit.engine.execute(`TRUNCATE TABLE ${table}`)
  }
})

async function insert(...ids: readonly number[]): Promise<void> {
  const rows = ids.map((id) => `(${id}, 'm', ${id}00, 'EUR', 'approved', now(), now())`)
  await client.query(`INSERT INTO payments VALUES ${rows.join(', ')}`)
}

const ids = async () => (await kit.payments()).map(({ id }) => id)

test('brings new, changed and deleted rows into the ledger', async () => {
  await insert(1, 2, 3)
  expect(await kit.sync()).toMatchObject({ judged: { taken: 3 }, deleted: 0, refused: 0 })
  expect(await kit.sync()).toMatchObject({ judged: undefined, deleted: 0 })
  await insert(4)
  await client.query("UPDATE payments SET state = 'declined', updated_at = now() WHERE id = 2")
  await client.query('DELETE FROM payments WHERE id = 3')
  expect(await kit.sync()).toMatchObject({ judged: { taken: 2, replaced: 1 }, deleted: 1 })
  expect(await kit.payments()).toEqual([
    { id: 'p-1', merchant: 'm', amount: '1', status: 'approved' },
    { id: 'p-2', merchant: 'm', amount: '2', status: 'declined' },
    { id: 'p-4', merchant: 'm', amount: '4', status: 'approved' },
  ])
})

test('finds what the column of changes does not show', async () => {
  await insert(1, 2, 3)
  await kit.sync()
  // A correction without a change, and a commit that comes long after its time.
  await client.query('UPDATE payments SET cents = 1050 WHERE id = 1')
  await client.query(`INSERT INTO payments VALUES
    (4, 'm', 400, 'EUR', 'approved', now() - INTERVAL '1 day', now() - INTERVAL '1 day')`)
  expect(await kit.sync()).toMatchObject({ judged: { rows: 2, taken: 2 } })
  expect((await kit.payments()).map(({ amount }) => amount)).toEqual(['10.5', '2', '3', '4'])
})

test('works without columns of changes and of creation', async () => {
  const head = { changed: undefined, created: undefined }
  await insert(1, 2)
  await kit.sync(head)
  await client.query(
    'UPDATE payments SET cents = 1 WHERE id = 1; DELETE FROM payments WHERE id = 2',
  )
  await insert(3)
  expect(await kit.sync(head)).toMatchObject({ judged: { rows: 2, taken: 2 }, deleted: 1 })
  expect(await ids()).toEqual(['p-1', 'p-3'])
})

test('compares old days only if it is told to', async () => {
  await client.query(`INSERT INTO payments
    SELECT id, 'm', 100, 'EUR', 'approved', now() - INTERVAL '90 days', now() - INTERVAL '90 days'
    FROM generate_series(1, 3) AS id`)
  await kit.sync()
  await client.query('DELETE FROM payments WHERE id = 2')
  expect(await kit.sync()).toMatchObject({ deleted: 0 })
  expect(await kit.sync({}, { isWhole: true })).toMatchObject({ deleted: 1 })
  expect(await ids()).toEqual(['p-1', 'p-3'])
})

test('refuses a row without a time of creation', async () => {
  await insert(1)
  await expect(
    kit.sync({ query: 'SELECT *, NULL::timestamptz AS born FROM payments', created: 'born' }),
  ).rejects.toThrow('created: expected a time in every row. 1 rows have none')
})

test('follows a payment to another merchant, another time and another id', async () => {
  await insert(1, 2)
  await kit.sync()
  await client.query(`UPDATE payments SET merchant = 'other', created_at = created_at - INTERVAL '40 days',
    updated_at = now() WHERE id = 1`)
  await client.query('UPDATE payments SET id = 5, updated_at = now() WHERE id = 2')
  await kit.sync()
  expect((await kit.payments()).map(({ id, merchant }) => `${id} ${merchant}`)).toEqual([
    'p-1 other',
    'p-5 m',
  ])
})

test('deletes a payment that the source skips now', async () => {
  await insert(1, 2)
  await kit.sync()
  await client.query("UPDATE payments SET state = 'hidden', updated_at = now() WHERE id = 2")
  expect(await kit.sync()).toMatchObject({ judged: { taken: 0 }, deleted: 1 })
  expect(await ids()).toEqual(['p-1'])
})

test('keeps an id for which another row stands', async () => {
  const query =
    'SELECT id, merchant, cents, currency, state, created_at, updated_at, 1 AS one FROM payments'
  const select = `SELECT _line, concat('order-', toString(intDiv(toUInt32(id), 10))) AS transaction_id,
    'sale' AS transaction_type, state AS status, '2026-11-20 10:00:00Z' AS created_at, '1' AS amount, currency,
    merchant AS merchant_id FROM file`
  await insert(11, 12)
  await kit.sync({ query }, { select })
  await client.query('DELETE FROM payments WHERE id = 11')
  expect(await kit.sync({ query }, { select })).toMatchObject({ deleted: 0 })
  await client.query('DELETE FROM payments WHERE id = 12')
  expect(await kit.sync({ query }, { select })).toMatchObject({ deleted: 1 })
})

test('refuses a row with the id of another row, whose row stays', async () => {
  await insert(1, 2)
  await kit.sync()
  await client.query(
    `INSERT INTO payments VALUES (3, 'thief', 900, 'EUR', 'approved', now(), now())`,
  )
  const select = `SELECT _line, concat('p-', if(id = '3', '1', id)) AS transaction_id, 'sale' AS transaction_type,
    state AS status, created_at, updated_at, minor(cents, currency) AS amount, currency, merchant AS merchant_id FROM file`
  const other = { select, file: 'other.sql' }
  const query = "SELECT * FROM payments WHERE merchant = 'thief'"
  const refused = await kit.sync({ query }, other)
  expect(refused).toMatchObject({ judged: { taken: 0, refused: 1 }, refused: 1 })
  expect(refused.judged?.reasons[0]?.reason).toMatch(/an id that no other row of a database has/)
  expect(await kit.payments()).toMatchObject([
    { id: 'p-1', merchant: 'm', amount: '1' },
    { id: 'p-2', merchant: 'm' },
  ])
  // The same within one source.
  const own = await kit.sync(
    { query: `SELECT * FROM payments WHERE id < 3 UNION ALL ${query}` },
    { select },
  )
  expect(own).toMatchObject({ judged: { taken: 0, refused: 2 }, deleted: 0 })
  expect((await kit.payments())[0]).toMatchObject({ id: 'p-1', merchant: 'm', amount: '1' })
})

test('deletes no row that another source has, too', async () => {
  await insert(1, 2)
  await kit.sync()
  const archive = { file: 'archive.sql' }
  const query = 'SELECT * FROM payments UNION ALL SELECT * FROM kept'
  await client.query('CREATE TABLE IF NOT EXISTS kept (LIKE payments); TRUNCATE kept')
  expect(await kit.sync({ query }, archive)).toMatchObject({ judged: { taken: 0, unchanged: 2 } })
  await client.query(
    'INSERT INTO kept SELECT * FROM payments WHERE id = 1; DELETE FROM payments WHERE id = 1',
  )
  expect(await kit.sync()).toMatchObject({ deleted: 0 })
  expect(await ids()).toEqual(['p-1', 'p-2'])
  await client.query('DELETE FROM kept')
  expect(await kit.sync({ query }, archive)).toMatchObject({ deleted: 1 })
})

test('refuses a change if the ledger has a later version of the row', async () => {
  await insert(1)
  await kit.sync({}, { now: () => Date.now() + 400 * 86_400_000 })
  await client.query('UPDATE payments SET cents = 700')
  const refused = await kit.sync()
  expect(refused).toMatchObject({ judged: { taken: 0, older: 0, refused: 1 }, refused: 1 })
  expect(refused.judged?.reasons[0]?.reason).toMatch(/no later version in the ledger/)
})

test('a time of change in the future hides no later change', async () => {
  await client.query(`INSERT INTO payments
    SELECT id, 'm', 100, 'EUR', 'approved', now() - INTERVAL '90 days', now() - INTERVAL '90 days'
    FROM generate_series(1, 2) AS id`)
  await kit.sync()
  await client.query(
    "UPDATE payments SET cents = 1, updated_at = now() + INTERVAL '23 hours' WHERE id = 1",
  )
  await kit.sync()
  await client.query('UPDATE payments SET cents = 2, updated_at = now() WHERE id = 2')
  await kit.sync()
  expect((await kit.payments()).map(({ amount }) => amount)).toEqual(['0.01', '0.02'])
})

test('keeps what the ledger has of a row that is refused now, and tries it again', async () => {
  await insert(1, 2)
  await kit.sync()
  await client.query(
    "UPDATE payments SET currency = 'X', cents = 900, updated_at = now() WHERE id = 2",
  )
  const refused = await kit.sync()
  expect(refused).toMatchObject({ judged: { refused: 1 }, deleted: 0, refused: 1 })
  expect(refused.judged?.reasons.map(({ first }) => refused.keys.get(first))).toContain('2')
  expect(await kit.sync()).toMatchObject({ judged: { rows: 1, refused: 1 }, refused: 1 })
  expect(await ids()).toEqual(['p-1', 'p-2'])
  await client.query("UPDATE payments SET currency = 'EUR' WHERE id = 2")
  expect(await kit.sync()).toMatchObject({ judged: { taken: 1 }, refused: 0 })
  expect((await kit.payments()).map(({ amount }) => amount)).toEqual(['1', '9'])
})

test('reads every row again after a change of the source', async () => {
  await insert(1, 2)
  await kit.sync()
  const select = `SELECT _line, concat('q-', id) AS transaction_id, 'sale' AS transaction_type, state AS status,
    created_at, minor(cents, currency) AS amount, currency, merchant AS merchant_id FROM file`
  expect(await kit.sync({}, { select })).toMatchObject({ judged: { taken: 2 }, deleted: 2 })
  expect(await ids()).toEqual(['q-1', 'q-2'])
})

test('deletes many rows only if it is told to', async () => {
  await client.query(`INSERT INTO payments
    SELECT id, 'm', 100, 'EUR', 'approved', now(), now() FROM generate_series(1, 1001) AS id`)
  await kit.sync()
  await client.query('TRUNCATE payments')
  await expect(kit.sync()).rejects.toThrow(
    'the database lacks 1001 rows that the ledger has from it',
  )
  expect(await kit.payments()).toHaveLength(1001)
  expect(await kit.records()).toMatchObject([{ error: expect.stringContaining('--delete-many') }])
  expect(await kit.sync({}, { mayDeleteMany: true })).toMatchObject({ deleted: 1001 })
  expect(await kit.payments()).toEqual([])
})

test('changes closed days only if it is told to, and records that', async () => {
  await client.query(`INSERT INTO payments
    SELECT id, 'm', 100, 'EUR', 'approved', now() - INTERVAL '9 days', now() FROM generate_series(1, 3) AS id`)
  await kit.sync()
  const closed = { closedBefore: new Date().toISOString().slice(0, 10) }
  await client.query('UPDATE payments SET cents = 900, updated_at = now() WHERE id = 2')
  const refused = await kit.sync({}, closed)
  expect(refused.judged?.reasons).toMatchObject([{ reason: expect.stringContaining('not closed') }])
  await client.query('DELETE FROM payments WHERE id = 3')
  await expect(kit.sync({}, closed)).rejects.toThrow('lacks 1 rows of days that are closed')
  expect((await kit.payments()).map(({ amount }) => amount)).toEqual(['1', '1', '1'])
  expect(await kit.sync({}, { isForced: true })).toMatchObject({ judged: { taken: 1 }, deleted: 1 })
  expect((await kit.payments()).map(({ amount }) => amount)).toEqual(['1', '9'])
  expect(await listImports(kit.engine, { most: 1 })).toMatchObject([{ isForced: true }])
})

test('leaves the ledger as it was if the database or the source fails, and says why', async () => {
  await insert(1)
  await kit.sync()
  const [before] = await kit.records()
  const failures: readonly [Readonly<Record<string, unknown>>, string][] = [
    [{ query: 'SELECT * FROM missing' }, 'the database shop: relation "missing" does not exist'],
    [
      { query: 'SELECT *, merchant::int AS number FROM payments' },
      'the database shop: cannot read the rows (22P02)',
    ],
    [{ query: 'SELECT *, id FROM payments' }, 'expected each column once, got id twice'],
    [{ key: 'uuid' }, 'key: the query has no column uuid. It has id, merchant'],
    [{ key: 'merchant' }, 'expected a merchant in every row, and each once'],
    [{ query: 'DELETE FROM payments RETURNING *' }, 'the database shop: syntax error'],
    [
      { query: "SELECT *, nextval('s') FROM payments" },
      'the database shop: relation "s" does not exist',
    ],
  ]
  await insert(2)
  for (const [head, message] of failures) {
    await expect(kit.sync(head)).rejects.toThrow(message)
    const [record] = await kit.records()
    expect(record).toMatchObject({
      syncedAt: before?.syncedAt,
      error: expect.stringContaining(message),
    })
    expect(await ids()).toEqual(['p-1'])
  }
  await kit.sync()
  expect(await kit.records()).toMatchObject([{ error: '', taken: 1 }])
})

test('never writes to the database', async () => {
  await client.query(
    'CREATE FUNCTION spend() RETURNS int LANGUAGE sql AS $$ DELETE FROM payments RETURNING 1 $$',
  )
  await insert(1)
  await expect(kit.sync({ query: 'SELECT *, spend() AS spent FROM payments' })).rejects.toThrow(
    'cannot read the rows (25006)',
  )
  await client.query('DROP FUNCTION spend')
})

test('reads times with a zone as they are, whatever zone the database has', async () => {
  await client.query("ALTER DATABASE payments SET timezone = 'Asia/Tokyo'")
  await client.query(`INSERT INTO payments VALUES
    (1, 'm', 100, 'EUR', 'approved', '2026-11-20 10:00:00.123456+02', '2026-11-20 10:00:00+02')`)
  await kit.sync()
  await client.query('ALTER DATABASE payments RESET timezone')
  expect(await kit.times()).toEqual(['2026-11-20 08:00:00.123'])
})
