import type { SealedSecret } from './sealed-secret.ts'

/** The record of a run as the store keeps it. */
export interface StoredRun {
  readonly runId: string
  readonly login: string
  readonly reportIdentifier: string
  readonly endedAt: Date
  /** The record as JSON. */
  readonly record: string
}

/** Which runs to list. */
export interface RunQuery {
  /** The runs of one login. Without it, those of all. */
  readonly login?: string | undefined
  readonly reportIdentifier?: string | undefined
  /** Only runs that were added before the one with this number. */
  readonly before?: number | undefined
  readonly limit: number
  /** The bytes of all records. The first run is listed even if its record has more. */
  readonly bytesMax: number
}

/** A stored run, and its number in the order in which runs were added. */
export interface ListedRun extends StoredRun {
  readonly number: number
}

/** Some runs, and whether the query has more. */
export interface ListedRuns {
  readonly runs: readonly ListedRun[]
  readonly hasMore: boolean
}

/** The records of runs. */
export interface RunStore {
  /** Adds runs. A run that the store has already stays as it is. */
  add(runs: readonly StoredRun[]): Promise<void>
  find(runId: string): Promise<ListedRun | undefined>
  /** Lists runs, the newest first. Reads hardly more than it lists. */
  list(query: RunQuery): Promise<ListedRuns>
  /** Deletes runs that ended before a time: at most `countMax`, the oldest first. Returns how many it deleted. */
  forget(endedBefore: Date, countMax: number): Promise<number>
  /**
   * Deletes the runs of a login beyond the newest `keptMax`: at most `countMax`, the oldest first. Returns how many it
   * deleted.
   */
  forgetBeyond(login: string, keptMax: number, countMax: number): Promise<number>
}

/** A key with which the gateway signs manifests. */
export interface StoredSigningKey {
  readonly keyId: string
  readonly createdAt: Date
  /** The public key as JSON (RFC 7517). */
  readonly publicJwk: string
  /** The private key as PKCS#8 text. */
  readonly sealed: SealedSecret
}

/** The keys with which the gateway signs manifests. Gateways that share the store share them. */
export interface SigningKeyStore {
  /**
   * Adds a key if the store still has `count` keys: of two gateways that add one, the first succeeds. Returns all keys,
   * the oldest first.
   */
  add(key: StoredSigningKey, count: number): Promise<readonly StoredSigningKey[]>
  /** Lists all keys, the oldest first. */
  list(): Promise<readonly StoredSigningKey[]>
}
