import { LIMITS } from '../limits.ts'
import type { ConnectionShare } from './connection-share.ts'
import type {
  AcceptedOperation,
  DueEntry,
  IdempotencyKey,
  OperationMaxima,
  Outbox,
  OutboxEntry,
} from './outbox.ts'
import {
  findOperation,
  readCounts,
  readDueEntry,
  readKeyVersion,
  readLastEntryId,
  readNumber,
} from './outbox-rows.ts'
import { LOCKS, type PostgresDatabase, type Query } from './postgres-database.ts'

const OPERATION = 'SELECT 1 FROM operations WHERE login = $1 AND client_order_id = $2'

const BEGIN =
  'SELECT last, operations, of_day, fields_hash, key_version, answer FROM begin_operation($1, $2, $3)'

/** Entries of a statement. After a rush, a statement for all of them would exceed its time-out each time. */
const AT_ONCE = 2 * LIMITS.relayBatchEntriesMax

const AGAIN = `UPDATE ledger_entries SET relayed_at = NULL
  WHERE entry_id IN (
    SELECT entry_id FROM ledger_entries WHERE relayed_at >= $1 AND entry_id > $2 ORDER BY entry_id LIMIT $3
  )
  RETURNING entry_id`

const INSERT = `WITH number AS (UPDATE operation_numbers SET last = $3),
  counted AS (
    INSERT INTO operation_counts AS counts (login, operations, day, of_day) VALUES ($1, 1, $9, 1)
    ON CONFLICT (login) DO UPDATE SET operations = counts.operations + 1, day = excluded.day,
      of_day = CASE WHEN counts.day = excluded.day THEN counts.of_day + 1 ELSE 1 END
  ),
  entries AS (
    INSERT INTO ledger_entries (due_at, rows)
    SELECT due_at, rows
    FROM unnest($7::bigint[], $8::text[]) WITH ORDINALITY AS entry (due_at, rows, place)
    ORDER BY place
  )
  INSERT INTO operations (login, client_order_id, number, fields_hash, key_version, answer)
  VALUES ($1, $2, $3, $4, $5, $6)`

/** The outbox, in tables of PostgreSQL. */
export class PostgresOutbox implements Outbox {
  readonly #database: PostgresDatabase
  readonly #share: ConnectionShare

  constructor(database: PostgresDatabase, share: ConnectionShare) {
    this.#database = database
    this.#share = share
  }

  async accept(
    { login, clientOrderId }: IdempotencyKey,
    { perLogin, perDay, day }: OperationMaxima,
    make: (number: number) => AcceptedOperation & { readonly entries: readonly OutboxEntry[] },
  ): Promise<AcceptedOperation | undefined> {
    const work = async (query: Query): Promise<AcceptedOperation | undefined> => {
      const [row] = await query(BEGIN, [login, clientOrderId, day])
      const known = findOperation(row)
      if (known) return known
      const { operations, ofDay } = readCounts(row)
      if (operations >= perLogin || ofDay >= perDay) return undefined
      const number = readNumber(row)
      const { entries, ...accepted } = make(number)
      const { fieldsHash, keyVersion, answer } = accepted
      const operation = [login, clientOrderId, number, fieldsHash, keyVersion, answer]
      const times = entries.map(({ dueAt }) => dueAt.getTime())
      await query(INSERT, [...operation, times, entries.map(({ rows }) => rows), day])
      return accepted
    }
    return await this.#share.use(login, () => this.#database.transaction(work))
  }

  async has({ login, clientOrderId }: IdempotencyKey): Promise<boolean> {
    const [known] = await this.#share.use(login, () => {
      return this.#database.query(OPERATION, [login, clientOrderId])
    })
    return known !== undefined
  }

  async raiseNumbers(above: number): Promise<void> {
    await this.#database.query('UPDATE operation_numbers SET last = greatest(last, $1)', [above])
  }

  async listKeyVersions(): Promise<readonly number[]> {
    const rows = await this.#database.query('SELECT DISTINCT key_version FROM operations')
    return rows.map(readKeyVersion)
  }

  async listDue(now: Date, countMax: number): Promise<readonly DueEntry[]> {
    const rows = await this.#database.query(
      `SELECT entry_id, due_at, rows FROM ledger_entries
       WHERE relayed_at IS NULL AND due_at <= $1 ORDER BY due_at, entry_id LIMIT $2`,
      [now.getTime(), countMax],
    )
    return rows.map(readDueEntry)
  }

  async markRelayed(entries: readonly DueEntry[], now: Date): Promise<void> {
    await this.#database.transaction(async (query) => {
      const ids = entries.map(({ entryId }) => entryId)
      const mark = 'UPDATE ledger_entries SET relayed_at = $1 WHERE entry_id = ANY ($2::bigint[])'
      await query(mark, [now.getTime(), ids])
      await pruneRelayed(query, now)
    }, LOCKS.relay)
  }

  async makeDueAgain(now: Date): Promise<void> {
    const prunedBefore = now.getTime() - LIMITS.outboxRetentionMs
    let last: number | undefined = 0
    while (last !== undefined) {
      const after: number = last
      last = await this.#database.transaction(async (query) => {
        return readLastEntryId(await query(AGAIN, [prunedBefore, after, AT_ONCE]))
      }, LOCKS.relay)
    }
  }
}

/** Prunes entries. */
async function pruneRelayed(query: Query, now: Date): Promise<void> {
  const before = now.getTime() - LIMITS.outboxRetentionMs
  const oldest = 'SELECT entry_id FROM ledger_entries WHERE relayed_at < $1'
  await query(
    `DELETE FROM ledger_entries WHERE entry_id IN (${oldest} ORDER BY relayed_at LIMIT $2)`,
    [before, AT_ONCE],
  )
}
