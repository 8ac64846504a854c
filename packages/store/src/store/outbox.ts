import { GatewayError, LIMITS } from '@counterfoil/common'
import * as z from 'zod'
import { instant, type Queries, sql, storeFailure, StorePart } from '../database/database.ts'

/** The idempotency key of an operation: a second operation with the same key is a retry of the first one. */
export interface IdempotencyKey {
  readonly login: string
  readonly clientOrderId: string
}

const operationRow = z.object({
  /** Covers every field of the form but the CVV: a retry has the same hash, another request with the same key has not. */
  fieldsHash: z.string(),
  /** The version of the master key that the hash was made with. */
  keyVersion: z.int(),
  /** The answer to the login: JSON. */
  answer: z.string(),
})

/** An accepted operation, with the answer for its retries. */
export type AcceptedOperation = Readonly<z.output<typeof operationRow>>

/** Rows for the ledger, and when they are due there. */
export interface OutboxEntry {
  readonly dueAt: Date
  /** JSON, a line for each row. */
  readonly rows: string
}

const entryRow = z.object({ entryId: z.int(), dueAt: instant, rows: z.string() })

/** A due entry with its id. */
export type DueEntry = Readonly<z.output<typeof entryRow>>

/** How many operations of a login the outbox accepts. */
export interface OperationMaxima {
  readonly perLogin: number
  readonly perDay: number
  /** The days since 1970 (UTC). */
  readonly day: number
}

/** Makes an operation and its entries from a number that no operation had before, from 1. */
type MakeOperation = (
  number: number,
) => AcceptedOperation & { readonly entries: readonly OutboxEntry[] }

/**
 * The transactional outbox of accepted operations. An operation is on the disk here before the gateway answers its
 * login. The relay takes the entries of the operation to the ledger.
 */
export class Outbox extends StorePart {
  /**
   * Keeps an operation with its entries, all or none, and returns the operation. A retry gets the first operation of
   * its key, also while the first one is still being kept.
   *
   * @param maxima how many operations the outbox keeps of each login, on all gateways together
   * @returns nothing if the operation is a new one and its login has a maximum already
   */
  async accept(
    key: IdempotencyKey,
    maxima: OperationMaxima,
    make: MakeOperation,
  ): Promise<AcceptedOperation | undefined> {
    const database = this.database
    return await database.share(key.login, async () => {
      const known = await findOperation(database, key)
      // A retry waits for the disk too: its answer says that the first operation is kept.
      if (known) return await database.reachDisk().then(() => known)
      const accepted = await database
        .transaction(undefined, (queries) => keepOperation(queries, key, maxima, make))
        .catch((error: unknown) => {
          if (!(error instanceof KeptMeanwhile)) throw storeFailure('The store failed', error)
        })
      return accepted ?? (await findOperation(database, key))
    })
  }

  /** Returns whether the outbox has an operation. It may not be on the disk yet: wait for `accept` before you answer. */
  async has(key: IdempotencyKey): Promise<boolean> {
    return (await findOperation(this.database, key)) !== undefined
  }

  /** Raises the number of the next order above this one: the ledger may have orders that a restored store lacks. */
  async raiseNumbers(above: number): Promise<void> {
    await this.database.run(sql`UPDATE operation_numbers SET last = ${above} WHERE last < ${above}`)
  }

  /** Lists the versions of the master keys whose hashes the outbox has. */
  async listKeyVersions(): Promise<readonly number[]> {
    const versions = sql`SELECT DISTINCT key_version FROM operations`
    const rows = await this.database.all(operationRow.pick({ keyVersion: true }), versions)
    return rows.map(({ keyVersion }) => keyVersion)
  }

  /** Lists entries that are due and not relayed yet, the oldest first. */
  async listDue(now: Date, countMax: number): Promise<readonly DueEntry[]> {
    const due = sql`
      SELECT entry_id, due_at, rows FROM ledger_entries
      WHERE relayed_at IS NULL AND due_at <= ${now.getTime()}
      ORDER BY due_at, entry_id LIMIT ${countMax}`
    return await this.database.all(entryRow, due)
  }

  /** Notes that the ledger has entries. The outbox keeps them for at least `LIMITS.outboxRetentionMs` more. */
  async markRelayed(entries: readonly DueEntry[], now: Date): Promise<void> {
    const ids = entries.map(({ entryId }) => entryId)
    const [at, before] = [now.getTime(), now.getTime() - LIMITS.outboxRetentionMs]
    await this.database.transaction('relay', async (queries) => {
      if (ids.length > 0) {
        const relayed = sql`UPDATE ledger_entries SET relayed_at = ${at} WHERE entry_id IN (${ids})`
        await queries.run(relayed)
      }
      await queries.run(sql`DELETE FROM ledger_entries WHERE relayed_at < ${before}`)
    })
  }

  /** Makes the entries of that time due again: the ledger's disk may have lost the newest of them. */
  async makeDueAgain(now: Date): Promise<void> {
    const since = now.getTime() - LIMITS.outboxRetentionMs
    await this.database.transaction('relay', async (queries) => {
      await queries.run(sql`
        UPDATE ledger_entries SET relayed_at = NULL WHERE relayed_at >= ${since}`)
    })
  }
}

async function findOperation(
  queries: Queries,
  { login, clientOrderId }: IdempotencyKey,
): Promise<AcceptedOperation | undefined> {
  return await queries.first(
    operationRow,
    sql`SELECT * FROM operations WHERE login = ${login} AND client_order_id = ${clientOrderId}`,
  )
}

async function keepOperation(
  queries: Queries,
  { login, clientOrderId }: IdempotencyKey,
  { perLogin, perDay, day }: OperationMaxima,
  make: MakeOperation,
): Promise<AcceptedOperation | undefined> {
  // Counts one more operation of a login, unless the login has a maximum. Operations of a login follow one another.
  const counted = await queries.run(sql`
    INSERT INTO operation_counts (login, operations, day, of_day) VALUES (${login}, 1, ${day}, 1)
    ON CONFLICT (login) DO UPDATE SET
      operations = operation_counts.operations + 1,
      day = excluded.day,
      of_day = CASE operation_counts.day WHEN excluded.day THEN operation_counts.of_day + 1 ELSE 1 END
    WHERE operation_counts.operations < ${perLogin}
      AND (operation_counts.day <> excluded.day OR operation_counts.of_day < ${perDay})`)
  if (counted === 0) return undefined
  const raised = sql`UPDATE operation_numbers SET last = last + 1 RETURNING last`
  const { last: number = Number.NaN } = (await queries.first(numberRow, raised)) ?? {}
  if (!(number <= LIMITS.ordersMax)) {
    throw new GatewayError(
      'store',
      `Cannot number an operation: expected at most ${LIMITS.ordersMax}`,
    )
  }
  const { entries, ...accepted } = make(number)
  const { fieldsHash, keyVersion, answer } = accepted
  const kept = await queries.run(sql`
    INSERT INTO operations (login, client_order_id, number, fields_hash, key_version, answer)
    VALUES (${[login, clientOrderId, number, fieldsHash, keyVersion, answer]})
    ON CONFLICT (login, client_order_id) DO NOTHING`)
  if (kept === 0) throw new KeptMeanwhile()
  for (const { dueAt, rows } of entries) {
    const entry = sql`INSERT INTO ledger_entries (due_at, rows) VALUES (${dueAt.getTime()}, ${rows})`
    await queries.run(entry)
  }
  return accepted
}

const numberRow = z.object({ last: z.int() })

/** Another process has kept an operation of the same key. The transaction rolls back. */
class KeptMeanwhile extends Error {}
