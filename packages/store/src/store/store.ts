import type { NonceOutcome, NonceUse, SignatureMethod } from '@counterfoil/signing'
import type { Role } from '@counterfoil/common'
import type { Outbox } from './outbox.ts'
import type { SealedSecret } from '../keys/sealed-secret.ts'
import type { RunStore, SigningKeyStore } from './run-store.ts'
import type { ViewSessionStore } from './view-session-store.ts'

/** A login may request reports, and operate where it is a merchant's. */
export interface Login {
  /** The `oauth_consumer_key` (specification, "Credentials"). */
  readonly name: string
  readonly role: Role
  /** Ids of managers, resellers or merchants, as the role says; never empty, but for an operator, who sees everything. */
  readonly sees: readonly string[]
  /** Whether a request must sign `oauth_body_hash`. */
  readonly bodyHashRequired: boolean
  /** The time zone of its reports, unless a request names one. Without it, the gateway's. */
  readonly timezone?: string
  readonly createdAt: Date
}

/** A login with its active keys, two at most for each method. */
export interface LoginWithKeys extends Login {
  readonly keys: readonly StoredKey[]
}

/** What a key is made of, as it lies in the store. */
export type KeyMaterial =
  | { readonly kind: 'control-key'; readonly sealed: SealedSecret }
  | { readonly kind: 'public-key'; readonly pem: string }

/** A key of a login. */
export interface StoredKey {
  readonly keyId: string
  readonly login: string
  readonly method: SignatureMethod
  /** `SHA256:` and the base64 of a SHA-256: of the control key's text, or of the public key (SPKI, DER). */
  readonly fingerprint: string
  readonly createdAt: Date
  readonly revokedAt?: Date
  readonly lastUsedAt?: Date
  readonly material: KeyMaterial
}

/**
 * Keeps what must outlive the process: logins, their keys, spent nonces, accepted operations.
 *
 * Every method is atomic, also against other processes on the same store, and what it has answered holds after a
 * crash. What is refused throws a `GatewayError` of the code `credentials`, a store that fails one of the code `store`,
 * and a PostgreSQL that is away one of the code `store-busy`: the same call may succeed later.
 */
export interface Store {
  /** Refuses a name that is taken, and a login that sees nothing. */
  addLogin(login: Login): Promise<void>
  /** Changes what a login is and sees. Refuses an unknown login, and one that would see nothing. */
  changeLogin(login: Omit<Login, 'createdAt'>): Promise<void>
  /**
   * Removes a login for good: revokes its keys, and ends its view sessions and links. Its name is never used again,
   * because records of runs and client order ids keep it. Refuses an unknown login.
   */
  removeLogin(name: string, removedAt: Date): Promise<void>
  /** By name. */
  listLogins(): Promise<readonly Login[]>
  findLogin(name: string): Promise<LoginWithKeys | undefined>
  /** Refuses an unknown login, a third active key of a method, and a fingerprint that was ever added before, to anyone. */
  addKey(key: StoredKey): Promise<void>
  /** Of one login or of all, revoked ones too; the oldest first. Refuses an unknown login. */
  listKeys(login?: string): Promise<readonly StoredKey[]>
  /** Notes that a key has signed an accepted request. Only `listKeys` tells. */
  noteKeyUse(keyId: string, usedAt: Date): Promise<void>
  /**
   * For good. Refuses an unknown key, and one that is revoked already. A login that loses its last active key loses its
   * view sessions and links too.
   */
  revokeKey(keyId: string, revokedAt: Date): Promise<StoredKey>
  /**
   * Accepts a use of a nonce (login, timestamp, nonce) once, whatever the clock does, and across restarts.
   *
   * The store keeps a use until the login spends another nonce `LIMITS.nonceKeptSeconds` or more after its timestamp,
   * by the clock of that spend and by the clock of the spend before it. For each login it then remembers the newest
   * timestamp that it forgot, for good. That timestamp and all before it are `expired` for this login.
   *
   * So a login that spends nothing while the clock is wrong is never shut out by it. A login that does spend then may
   * be shut out afterwards, until the clock has passed the newest timestamp that it spent and that was forgotten.
   * A login that spends no more leaves its nonces of the last `LIMITS.nonceKeptSeconds` in the store.
   */
  spendNonce(use: NonceUse, nowSeconds: number): Promise<NonceOutcome>
  readonly outbox: Outbox
  readonly runs: RunStore
  readonly signingKeys: SigningKeyStore
  readonly viewSessions: ViewSessionStore
  close(): Promise<void>
}
