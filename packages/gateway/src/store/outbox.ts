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
