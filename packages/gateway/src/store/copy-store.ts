import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { GatewayError } from '../errors.ts'
import type { Query } from './postgres-database.ts'
import type { PostgresSettings } from './postgres-settings.ts'
import { withMigratedPostgres } from './postgres-store.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { storeFailure } from './store-failure.ts'

/** A table of PostgreSQL and the number of its copied rows. */
export interface CopiedTable {
  readonly table: string
  readonly rows: number
}

/** The tables in the order of their references, each with what it holds of SQLite. */
const TABLES: Readonly<Record<string, string>> = {
  logins: `SELECT login, role, sees, body_hash_required, timezone, created_at, removed_at
    FROM consumers`,
  keys: `SELECT key_id, login, method, fingerprint, created_at, revoked_at, pem, master_key_version, iv, ciphertext, tag
    FROM keys ORDER BY rowid`,
  key_uses: 'SELECT key_id, last_used_at FROM key_uses',
  nonces: 'SELECT login, timestamp, nonce FROM nonces',
  forgotten_nonces: 'SELECT login, newest_timestamp FROM forgotten_nonces',
  operations:
    'SELECT login, client_order_id, number, fields_hash, key_version, answer FROM operations',
  operation_counts: 'SELECT login, operations, day, of_day FROM operation_counts',
  ledger_entries: 'SELECT due_at, rows, relayed_at FROM ledger_entries ORDER BY entry_id',
  runs: 'SELECT run_id, login, report, ended_at, record FROM runs ORDER BY number',
  signing_keys: `SELECT key_id, created_at, public_jwk, master_key_version, iv, ciphertext, tag
    FROM signing_keys ORDER BY rowid`,
  view_sessions:
    'SELECT session_id, login, token_hash, made_at, began_at, expires_at FROM view_sessions',
}

const BATCH_ROWS = 1_000

/**
 * Copies a store from a SQLite file to PostgreSQL: all of it or nothing.
 *
 * @throws {GatewayError} `store` if the store in PostgreSQL is not empty
 */
export async function copyStore(
  file: string,
  settings: PostgresSettings,
): Promise<readonly CopiedTable[]> {
  await prepareSource(file)
  const source = new DatabaseSync(file)
  try {
    // One transaction, so that all tables are of the same moment.
    source.exec('BEGIN')
    return await withMigratedPostgres(settings, (database) => {
      return database.transaction(async (query) => {
        const names = Object.keys(TABLES)
        await query(`LOCK TABLE ${names.join(', ')}, operation_numbers`)
        for (const table of names) await requireEmpty(query, table)
        const copied: CopiedTable[] = []
        for (const [table, select] of Object.entries(TABLES)) {
          copied.push({ table, rows: await copyTable(source, select, query, table) })
        }
        const number = source.prepare('SELECT last FROM operation_numbers').get()
        await query('UPDATE operation_numbers SET last = $1', [number?.['last']])
        // A planner without statistics would read complete tables for one row.
        await query(`ANALYZE ${names.join(', ')}, credential_changes`)
        return copied
      })
    })
  } catch (cause) {
    throw storeFailure('Cannot copy the store', cause)
  } finally {
    source.close()
  }
}

/** Migrates the file, and corrects a number that an earlier gateway raised beyond the maximum. */
async function prepareSource(file: string): Promise<void> {
  const store = openSqliteStore(file)
  await store.outbox.raiseNumbers(0).finally(() => store.close())
}

async function requireEmpty(query: Query, table: string): Promise<void> {
  const [row] = await query(`SELECT 1 FROM ${table} LIMIT 1`)
  if (row === undefined) return
  const advice = 'Copy to an empty database. docs/operations.md says how to empty a store'
  throw new GatewayError('store', `The store in PostgreSQL has rows already (${table}). ${advice}`)
}

/** Copies the rows of a table in batches, and counts them again in PostgreSQL. */
async function copyTable(
  source: DatabaseSync,
  select: string,
  query: Query,
  table: string,
): Promise<number> {
  let rows = 0
  let batch: Readonly<Record<string, SQLInputValue>>[] = []
  const send = async (): Promise<void> => {
    const [first] = batch
    if (!first) return
    const names = Object.keys(first).join(', ')
    const text = JSON.stringify(batch, (_, value: unknown) => {
      return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value
    })
    const records = `json_populate_recordset(NULL::${table}, $1)`
    try {
      await query(`INSERT INTO ${table} (${names}) SELECT ${names} FROM ${records}`, [text])
    } catch (error) {
      const cause = error instanceof GatewayError ? error.cause : error
      throw storeFailure(`Cannot copy the table ${table}`, cause)
    }
    rows += batch.length
    batch = []
  }
  for (const row of source.prepare(select).iterate()) {
    batch.push(row)
    if (batch.length === BATCH_ROWS) await send()
  }
  await send()
  const counted = await query(`SELECT count(*) AS rows FROM ${table} HAVING count(*) = $1`, [rows])
  if (counted.length === 1) return rows
  throw new GatewayError('store', `PostgreSQL has other rows in ${table} than were sent`)
}
