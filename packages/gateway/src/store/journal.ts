/** Whose an operation is, and which: a login gives each of its operations another client order id. */
export interface OperationKey {
  readonly login: string
  readonly clientOrderId: string
}

/** An operation that was accepted. */
export interface AcceptedOperation {
  /** Over all that it was asked with but the CVV; tells the same request from another one of the same key. */
  readonly fieldsHash: string
  /** The version of the master key that the hash was made with. */
  readonly keyVersion: number
  /** What its login was answered: JSON. */
  readonly answer: string
}

/** Rows for the ledger, and when they are due there. */
export interface LedgerEntry {
  readonly dueAt: Date
  /** JSON, a line for each row. */
  readonly rows: string
}

/** An entry that is due. */
export type DueEntry = LedgerEntry & { readonly entryId: number }

/**
 * The journal of accepted operations: each is here before its login is answered, and its rows stay until the ledger
 * has them. As of the whole store, what it has answered holds after a crash.
 */
export interface Journal {
  /**
   * Keeps an operation with its entries, all or none, and returns it; where the login has sent one of this id
   * before, that one, however many come at once. `make` gets a number that no operation had before, from 1.
   */
  accept(
    key: OperationKey,
    make: (number: number) => AcceptedOperation & { readonly entries: readonly LedgerEntry[] },
  ): Promise<AcceptedOperation>
  /** Whether the journal has an operation, which may not be on the disk yet: wait for `accept` before you answer. */
  has(key: OperationKey): Promise<boolean>
  /** Gives the orders that come numbers above this one: the ledger may have orders that a restored store has forgotten. */
  raiseNumbers(above: number): Promise<void>
  /** The versions of the master keys that forms were hashed with. */
  listKeyVersions(): Promise<readonly number[]>
  /** What the ledger should have by now and has not; the oldest first. */
  listDue(now: Date, countMax: number): Promise<readonly DueEntry[]>
  /** Notes that the ledger has entries; they are kept for at least `LIMITS.broughtKeptMs` more. */
  markBrought(entries: readonly DueEntry[], now: Date): Promise<void>
  /** Makes due again what was brought within that time: the ledger's disk may have lost what came last. */
  bringAgain(now: Date): Promise<void>
}
