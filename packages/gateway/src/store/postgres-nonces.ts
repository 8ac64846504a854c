import type { NonceOutcome, NonceUse } from '@counterfoil/signing'
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import type { ConnectionShare } from './connection-share.ts'
import { hashNonce } from './hash-nonce.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import type { Store } from './store.ts'

const spendRow = z.object({ outcome: z.enum(['spent', 'replayed', 'expired']) })

const SPEND = 'SELECT spend_nonce($1, $2, $3, $4, $5) AS outcome'

/** Spent nonces, in tables of PostgreSQL. The function `spend_nonce` of the migrations spends one. */
export class PostgresNonces implements Pick<Store, 'spendNonce'> {
  readonly #database: PostgresDatabase
  readonly #share: ConnectionShare
  /** The clock of the spend before; nothing is forgotten by the first one. */
  #clockSeconds = 0

  constructor(database: PostgresDatabase, share: ConnectionShare) {
    this.#database = database
    this.#share = share
  }

  async spendNonce(use: NonceUse, nowSeconds: number): Promise<NonceOutcome> {
    const { consumerKey, timestampSeconds, nonce } = use
    if (timestampSeconds <= nowSeconds - LIMITS.nonceKeptSeconds) return 'expired'
    const hash = hashNonce(consumerKey, timestampSeconds, nonce)
    // A clock that reads wrong once makes the store forget nothing.
    const forgottenUpTo = Math.min(nowSeconds, this.#clockSeconds) - LIMITS.nonceKeptSeconds
    const values = [consumerKey, timestampSeconds, hash, forgottenUpTo, LIMITS.noncesForgottenMax]
    const [row] = await this.#share.use(consumerKey, () => this.#database.query(SPEND, values))
    const { outcome } = spendRow.parse(row)
    if (outcome === 'spent') this.#clockSeconds = nowSeconds
    return outcome
  }
}
