import type { DatabaseSync } from 'node:sqlite'
import { LIMITS } from '../limits.ts'
import type {
  AcceptedOperation,
  DueEntry,
  IdempotencyKey,
  OperationMaxima,
  Outbox,
  OutboxEntry,
} from './outbox.ts'
import { readDueEntry, readKeyVersion, readNumber, readOperation } from './outbox-rows.ts'
import type { Transactions } from './sqlite-transactions.ts'

/** The outbox, in tables of the store's database. */
export class SqliteOutbox implements Outbox {
  readonly #statements: ReturnType<typeof prepare>
  readonly #transactions: Transactions

  constructor(database: DatabaseSync, transactions: Transactions) {
    this.#statements = prepare(database)
    this.#transactions = transactions
  }

  async accept(
    { login, clientOrderId }: IdempotencyKey,
    { perLogin, perDay, day }: OperationMaxima,
    make: (number: number) => AcceptedOperation & { readonly entries: readonly OutboxEntry[] },
  ): Promise<AcceptedOperation | undefined> {
    const { operation, count, nextNumber, insertOperation, insertEntry } = this.#statements
    // A retry waits for the disk too: its answer says that the first operation is kept.
    return await this.#transactions.durably(() => {
      const known = operation.get(login, clientOrderId)
      if (known) return readOperation(known)
      if (!count.get(login, perLogin, day, perDay)) return undefined
      const number = readNumber(nextNumber.get())
      const { entries, ...accepted } = make(number)
      const { fieldsHash, keyVersion, answer } = accepted
      insertOperation.run(login, clientOrderId, number, fieldsHash, keyVersion, answer)
      for (const { dueAt, rows } of entries) insertEntry.run(dueAt.getTime(), rows)
      return accepted
    })
  }

  async has({ login, clientOrderId }: IdempotencyKey): Promise<boolean> {
    const { operation } = this.#statements
    return this.#transactions.read(() => operation.get(login, clientOrderId) !== undefined)
  }

  async raiseNumbers(above: number): Promise<void> {
    this.#transactions.run(() => this.#statements.raiseNumbers.run(above))
  }

  async listKeyVersions(): Promise<readonly number[]> {
    return this.#transactions.read(() => {
      return this.#statements.keyVersions.all().map(readKeyVersion)
    })
  }

  async listDue(now: Date, countMax: number): Promise<readonly DueEntry[]> {
    const { dueEntries } = this.#statements
    return this.#transactions.read(() => {
      return dueEntries.all(now.getTime(), countMax).map(readDueEntry)
    })
  }

  async markRelayed(entries: readonly DueEntry[], now: Date): Promise<void> {
    const { markRelayed, pruneRelayed } = this.#statements
    this.#transactions.run(() => {
      for (const { entryId } of entries) markRelayed.run(now.getTime(), entryId)
      pruneRelayed.run(now.getTime() - LIMITS.outboxRetentionMs)
    })
  }

  async makeDueAgain(now: Date): Promise<void> {
    const { pruneRelayed, makeDueAgain } = this.#statements
    this.#transactions.run(() => {
      const prunedBefore = now.getTime() - LIMITS.outboxRetentionMs
      pruneRelayed.run(prunedBefore)
      makeDueAgain.run(prunedBefore)
    })
  }
}

function prepare(database: DatabaseSync) {
  const statement = (sql: string) => database.prepare(sql)
  return {
    operation: statement(
      `SELECT fields_hash, key_version, answer FROM operations
       WHERE login = ? AND client_order_id = ?`,
    ),
    /** Counts one more operation of a login. Returns no row if the login has the maximum. */
    count: statement(
      `INSERT INTO operation_counts (login, operations, day, of_day) SELECT ?1, 1, ?3, 1 WHERE ?4 > 0
       ON CONFLICT (login) DO UPDATE SET
         operations = operations + 1, day = ?3, of_day = iif(day = ?3, of_day + 1, 1)
       WHERE operations < ?2 AND (day <> ?3 OR of_day < ?4)
       RETURNING operations`,
    ),
    nextNumber: statement('UPDATE operation_numbers SET last = last + 1 RETURNING last'),
    // An earlier gateway could raise it beyond the maximum, by an imported id: then the operations tell the last one.
    raiseNumbers: statement(
      `UPDATE operation_numbers SET last = max(?, iif(last <= ${LIMITS.ordersMax}, last, (
         SELECT coalesce(max(number), 0) FROM operations WHERE number <= ${LIMITS.ordersMax})))`,
    ),
    keyVersions: statement('SELECT DISTINCT key_version FROM operations'),
    insertOperation: statement('INSERT INTO operations VALUES (?, ?, ?, ?, ?, ?)'),
    insertEntry: statement('INSERT INTO ledger_entries (due_at, rows) VALUES (?, ?)'),
    dueEntries: statement(
      `SELECT entry_id, due_at, rows FROM ledger_entries
       WHERE relayed_at IS NULL AND due_at <= ? ORDER BY due_at, entry_id LIMIT ?`,
    ),
    markRelayed: statement('UPDATE ledger_entries SET relayed_at = ? WHERE entry_id = ?'),
    // A few at a time: a login may have sent very many before a pause.
    pruneRelayed: statement(
      `DELETE FROM ledger_entries WHERE entry_id IN (SELECT entry_id FROM ledger_entries
         WHERE relayed_at < ? ORDER BY relayed_at LIMIT ${2 * LIMITS.relayBatchEntriesMax})`,
    ),
    makeDueAgain: statement('UPDATE ledger_entries SET relayed_at = NULL WHERE relayed_at >= ?'),
  }
}
