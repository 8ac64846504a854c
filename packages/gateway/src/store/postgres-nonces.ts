import type { NonceOutcome, NonceUse } from '@counterfoil/signing'
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { hashNonce } from './hash-nonce.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import type { Store } from './store.ts'

const spendRow = z.object({ outcome: z.enum(['spent', 'replayed', 'expired']) })

/** Spent nonces, in tables of PostgreSQL. The function `spend_nonce` of the migrations spends one. */
export class PostgresNonces implements Pick<Store, 'spendNonce'> {
  readonly #database: PostgresDatabase
  /** The clock of the spend before; nothing is forgotten by the first one. */
  #clockSeconds = 0

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  async spendNonce(use: NonceUse, nowSeconds: number): Promise<NonceOutcome> {
    const { consumerKey, timestampSeconds, nonce } = use
    if (timestampSeconds <= nowSeconds - LIMITS.nonceKeptSeconds) return 'expired'
    const hash = hashNonce(consumerKey, timestampSeconds, nonce)
    // A clock that reads wrong once makes the store forget nothing.
    const forgottenUpTo = Math.min(nowSeconds, this.#clockSeconds) - LIMITS.nonceKeptSeconds
    const [row] = await this.#database.query('SELECT spend_nonce($1, $2, $3, $4, $5) AS outcome', [
      consumerKey,
      timestampSeconds,
      hash,
      forgottenUpTo,
      LIMITS.noncesForgottenMax,
    ])
    const { outcome } = spendRow.parse(row)
    if (outcome === 'spent') this.#clockSeconds = nowSeconds
    return outcome
  }
}
