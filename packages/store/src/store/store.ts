import { LoginStore } from './login-store.ts'
import { createNonces } from './nonces.ts'
import { Outbox } from './outbox.ts'
import { RunStore, SigningKeyStore } from './run-store.ts'
import { ViewSessionStore } from './view-session-store.ts'

/**
 * Keeps what must outlive the process: logins, their keys, spent nonces, accepted operations.
 *
 * Every method is atomic, also against other processes on the same store, and what it has answered holds after a
 * crash. What is refused throws a `GatewayError` of the code `credentials`, a store that fails one of the code `store`,
 * and a PostgreSQL that is away one of the code `store-busy`: the same call may succeed later.
 */
export class Store extends LoginStore {
  readonly outbox = new Outbox(this.database)
  readonly runs = new RunStore(this.database)
  readonly signingKeys = new SigningKeyStore(this.database)
  readonly viewSessions = new ViewSessionStore(this.database)
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
  readonly spendNonce = createNonces(this.database)
  /** Closes the database. */
  readonly close = () => this.database.close()
}
