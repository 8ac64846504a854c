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

/** The entries of a statement. After a rush, a statement for all entries would exceed its time-out each time. */
const ENTRIES_AT_ONCE = 2 * LIMITS.relayBatchEntriesMax

/** Stores the outbox in a database. */
export function createOutbox(database: Database): Outbox {
  return { ...createOperationStore(database), ...createRelayQueue(database) }
}

function createOperationStore(
  database: Database,
): Pick<Outbox, 'accept' | 'has' | 'raiseNumbers' | 'listKeyVersions'> {
  const { queries } = database
  const statements = compileStatements(queries)
  const findOperation = async (key: IdempotencyKey): Promise<AcceptedOperation | undefined> => {
    const [row] = await database.run(statements.find, [key.login, key.clientOrderId])
    return row
  }
  const keepOperation = async (
    transaction: Transaction,
    { login, clientOrderId }: IdempotencyKey,
    { perLogin, perDay, day }: OperationMaxima,
    make: Parameters<Outbox['accept']>[2],
  ): Promise<AcceptedOperation | undefined> => {
    const count = [login, day, perLogin, perDay]
    const counted = await database.run(statements.count, count, transaction)
    if (counted.length === 0) return undefined
    const [numbered] = await database.run(statements.number, [], transaction)
    const number = readNumber(numbered?.last)
    const { entries, ...accepted } = make(number)
    const { fieldsHash, keyVersion, answer } = accepted
    const row = [login, clientOrderId, number, fieldsHash, keyVersion, answer]
    const kept = await database.run(statements.keep, row, transaction)
    if (kept.length === 0) throw new KeptMeanwhile()
    for (const { dueAt, rows } of entries) {
      await database.run(statements.keepEntry, [dueAt.getTime(), rows], transaction)
    }
    return accepted
  }
  return {
    async accept(key, maxima, make) {
      const known = await findOperation(key)
      // A retry waits for the disk too: its answer says that the first operation is kept.
      if (known) return await database.reachDisk().then(() => known)
      const accepted = await database
        .transaction(undefined, async (transaction) => {
          return await keepOperation(transaction, key, maxima, make)
        })
        .catch((error: unknown) => {
          if (!(error instanceof KeptMeanwhile)) throw storeFailure('The store failed', error)
        })
      return accepted ?? (await findOperation(key))
    },

    async has(key) {
      return (await findOperation(key)) !== undefined
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
        await pruneRelayed(transaction, now)
      })
    },

    async makeDueAgain(now) {
      const prunedBefore = now.getTime() - LIMITS.outboxRetentionMs
      for (let last: number | undefined = 0; last !== undefined; ) {
        const after: number = last
        last = await database.transaction('relay', async (transaction) => {
          return await makeSomeDue(transaction, prunedBefore, after)
        })
      }
    },
  }
}

/** Another process has kept an operation of the same key. The transaction rolls back. */
class KeptMeanwhile extends Error {}

function compileStatements(queries: Queries) {
  return {
    find: sql<AcceptedOperation>`
      SELECT fields_hash AS "fieldsHash", key_version AS "keyVersion", answer FROM operations
      WHERE login = ${''} AND client_order_id = ${''}`.compile(queries),
    // Counts one more operation of a login, unless the login has a maximum. Operations of a login follow one another.
    count: sql`
      INSERT INTO operation_counts (login, operations, day, of_day) VALUES (${''}, 1, ${0}, 1)
      ON CONFLICT (login) DO UPDATE SET
        operations = operation_counts.operations + 1,
        day = excluded.day,
        of_day = CASE operation_counts.day WHEN excluded.day THEN operation_counts.of_day + 1 ELSE 1 END
      WHERE operation_counts.operations < ${0}
        AND (operation_counts.day <> excluded.day OR operation_counts.of_day < ${0})
      RETURNING login`.compile(queries),
    number: sql<{ readonly last: number }>`
      UPDATE operation_numbers SET last = last + 1 RETURNING last`.compile(queries),
    keep: sql`
      INSERT INTO operations (login, client_order_id, number, fields_hash, key_version, answer)
      VALUES (${''}, ${''}, ${0}, ${''}, ${0}, ${''})
      ON CONFLICT (login, client_order_id) DO NOTHING RETURNING login`.compile(queries),
    keepEntry: sql`INSERT INTO ledger_entries (due_at, rows) VALUES (${0}, ${''})`.compile(queries),
  }
}

function readNumber(last = Number.NaN): number {
  if (last <= LIMITS.ordersMax) return last
  throw storeFailure(
    'Cannot number an operation',
    new Error(`expected at most ${LIMITS.ordersMax}`),
  )
}

async function pruneRelayed(transaction: Transaction, now: Date): Promise<void> {
  await transaction
    .deleteFrom('ledger_entries')
    .where('entry_id', 'in', (from) => {
      return from
        .selectFrom('ledger_entries')
        .select('entry_id')
        .where('relayed_at', '<', now.getTime() - LIMITS.outboxRetentionMs)
        .orderBy('relayed_at')
        .limit(ENTRIES_AT_ONCE)
    })
    .execute()
}

/** Makes some entries due again, and returns the last of them. */
async function makeSomeDue(
  transaction: Transaction,
  relayedFrom: number,
  after: number,
): Promise<number | undefined> {
  const rows = await transaction
    .updateTable('ledger_entries')
    .set({ relayed_at: null })
    .where('entry_id', 'in', (from) => {
      return from
        .selectFrom('ledger_entries')
        .select('entry_id')
        .where('relayed_at', '>=', relayedFrom)
        .where('entry_id', '>', after)
        .orderBy('entry_id')
        .limit(ENTRIES_AT_ONCE)
    })
    .returning('entry_id')
    .execute()
  return rows.length === 0 ? undefined : Math.max(...rows.map((row) => row.entry_id))
}
