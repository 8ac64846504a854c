import { LIMITS } from '@counterfoil/common'
import { sql } from 'kysely'
import type { Database, Queries, Transaction } from '../database/database.ts'
import { storeFailure } from '../database/store-failure.ts'

/** The idempotency key of an operation: a second operation with the same key is a retry of the first one. */
export interface IdempotencyKey {
  readonly login: string
  readonly clientOrderId: string
}

/** An accepted operation, with the answer for its retries. */
export interface AcceptedOperation {
  /** Covers every field of the form but the CVV: a retry has the same hash, another request with the same key has not. */
  readonly fieldsHash: string
  /** The version of the master key that the hash was made with. */
  readonly keyVersion: number
  /** The answer to the login: JSON. */
  readonly answer: string
}

/** Rows for the ledger, and when they are due there. */
export interface OutboxEntry {
  readonly dueAt: Date
  /** JSON, a line for each row. */
  readonly rows: string
}

/** A due entry with its id. */
export type DueEntry = OutboxEntry & { readonly entryId: number }

/** How many operations of a login the outbox accepts. */
export interface OperationMaxima {
  readonly perLogin: number
  readonly perDay: number
  /** The days since 1970 (UTC). */
  readonly day: number
}

/**
 * The transactional outbox of accepted operations. An operation is on the disk here before the gateway answers its
 * login. The relay takes the entries of the operation to the ledger.
 */
export interface Outbox {
  /**
   * Keeps an operation with its entries, all or none, and returns the operation. A retry gets the first operation of
   * its key, also while the first one is still being kept. `make` gets a number that no operation had before, from 1.
   *
   * @param maxima how many operations the outbox keeps of each login, on all gateways together
   * @returns nothing if the operation is a new one and its login has a maximum already
   */
  accept(
    key: IdempotencyKey,
    maxima: OperationMaxima,
    make: (number: number) => AcceptedOperation & { readonly entries: readonly OutboxEntry[] },
  ): Promise<AcceptedOperation | undefined>
  /** Returns whether the outbox has an operation. It may not be on the disk yet: wait for `accept` before you answer. */
  has(key: IdempotencyKey): Promise<boolean>
  /** Raises the number of the next order above this one: the ledger may have orders that a restored store lacks. */
  raiseNumbers(above: number): Promise<void>
  /** Lists the versions of the master keys whose hashes the outbox has. */
  listKeyVersions(): Promise<readonly number[]>
  /** Lists entries that are due and not relayed yet, the oldest first. */
  listDue(now: Date, countMax: number): Promise<readonly DueEntry[]>
  /** Notes that the ledger has entries. The outbox keeps them for at least `LIMITS.outboxRetentionMs` more. */
  markRelayed(entries: readonly DueEntry[], now: Date): Promise<void>
  /** Makes the entries of that time due again: the ledger's disk may have lost the newest of them. */
  makeDueAgain(now: Date): Promise<void>
}

/** Stores the outbox in a database. */
export function createOutbox(database: Database): Outbox {
  return { ...createOperationStore(database), ...createRelayQueue(database) }
}

function createOperationStore(
  database: Database,
): Pick<Outbox, 'accept' | 'has' | 'raiseNumbers' | 'listKeyVersions'> {
  const { queries } = database
  return {
    async accept(key, maxima, make) {
      const known = await findOperation(queries, key)
      // A retry waits for the disk too: its answer says that the first operation is kept.
      if (known) return await database.reachDisk().then(() => known)
      const accepted = await database
        .transaction(undefined, async (transaction) => {
          return await keepOperation(transaction, key, maxima, make)
        })
        .catch((error: unknown) => {
          if (!(error instanceof KeptMeanwhile)) throw storeFailure('The store failed', error)
        })
      return accepted ?? (await findOperation(queries, key))
    },

    async has(key) {
      return (await findOperation(queries, key)) !== undefined
    },

    async raiseNumbers(above) {
      await queries
        .updateTable('operation_numbers')
        .set({ last: above })
        .where('last', '<', above)
        .execute()
    },

    async listKeyVersions() {
      const rows = await queries.selectFrom('operations').select('key_version').distinct().execute()
      return rows.map((row) => row.key_version)
    },
  }
}

function createRelayQueue(
  database: Database,
): Pick<Outbox, 'listDue' | 'markRelayed' | 'makeDueAgain'> {
  return {
    async listDue(now, countMax) {
      const rows = await database.queries
        .selectFrom('ledger_entries')
        .select(['entry_id', 'due_at', 'rows'])
        .where('relayed_at', 'is', null)
        .where('due_at', '<=', now.getTime())
        .orderBy('due_at')
        .orderBy('entry_id')
        .limit(countMax)
        .execute()
      return rows.map((row) => {
        return { entryId: row.entry_id, dueAt: new Date(row.due_at), rows: row.rows }
      })
    },

    async markRelayed(entries, now) {
      const ids = entries.map(({ entryId }) => entryId)
      await database.transaction('relay', async (transaction) => {
        if (ids.length > 0) {
          await transaction
            .updateTable('ledger_entries')
            .set({ relayed_at: now.getTime() })
            .where('entry_id', 'in', ids)
            .execute()
        }
        await transaction
          .deleteFrom('ledger_entries')
          .where('relayed_at', '<', now.getTime() - LIMITS.outboxRetentionMs)
          .execute()
      })
    },

    async makeDueAgain(now) {
      await database.transaction('relay', async (transaction) => {
        await transaction
          .updateTable('ledger_entries')
          .set({ relayed_at: null })
          .where('relayed_at', '>=', now.getTime() - LIMITS.outboxRetentionMs)
          .execute()
      })
    },
  }
}

async function findOperation(
  queries: Queries,
  { login, clientOrderId }: IdempotencyKey,
): Promise<AcceptedOperation | undefined> {
  const { rows } = await sql<AcceptedOperation>`
    SELECT fields_hash AS "fieldsHash", key_version AS "keyVersion", answer FROM operations
    WHERE login = ${login} AND client_order_id = ${clientOrderId}`.execute(queries)
  return rows[0]
}

async function keepOperation(
  transaction: Transaction,
  { login, clientOrderId }: IdempotencyKey,
  { perLogin, perDay, day }: OperationMaxima,
  make: Parameters<Outbox['accept']>[2],
): Promise<AcceptedOperation | undefined> {
  // Counts one more operation of a login, unless the login has a maximum. Operations of a login follow one another.
  const counted = await sql`
    INSERT INTO operation_counts (login, operations, day, of_day) VALUES (${login}, 1, ${day}, 1)
    ON CONFLICT (login) DO UPDATE SET
      operations = operation_counts.operations + 1,
      day = excluded.day,
      of_day = CASE operation_counts.day WHEN excluded.day THEN operation_counts.of_day + 1 ELSE 1 END
    WHERE operation_counts.operations < ${perLogin}
      AND (operation_counts.day <> excluded.day OR operation_counts.of_day < ${perDay})
    RETURNING login`.execute(transaction)
  if (counted.rows.length === 0) return undefined
  const { rows: numbered } = await sql<{ readonly last: number }>`
    UPDATE operation_numbers SET last = last + 1 RETURNING last`.execute(transaction)
  const number = readNumber(numbered[0]?.last)
  const { entries, ...accepted } = make(number)
  const { fieldsHash, keyVersion, answer } = accepted
  const kept = await sql`
    INSERT INTO operations (login, client_order_id, number, fields_hash, key_version, answer)
    VALUES (${login}, ${clientOrderId}, ${number}, ${fieldsHash}, ${keyVersion}, ${answer})
    ON CONFLICT (login, client_order_id) DO NOTHING RETURNING login`.execute(transaction)
  if (kept.rows.length === 0) throw new KeptMeanwhile()
  for (const { dueAt, rows } of entries) {
    const entry = { due_at: dueAt.getTime(), rows }
    await transaction.insertInto('ledger_entries').values(entry).execute()
  }
  return accepted
}

/** Another process has kept an operation of the same key. The transaction rolls back. */
class KeptMeanwhile extends Error {}

function readNumber(last = Number.NaN): number {
  if (last <= LIMITS.ordersMax) return last
  throw storeFailure(
    'Cannot number an operation',
    new Error(`expected at most ${LIMITS.ordersMax}`),
  )
}
