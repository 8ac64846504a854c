import { createHash } from 'node:crypto'
import type { NonceUse } from '@counterfoil/signing'
import { sql } from 'kysely'
import { LIMITS } from '@counterfoil/common'
import type { Database, Queries } from '../database/database.ts'
import type { Store } from './store.ts'

/**
 * Spends nonces in a database. Every statement is a transaction of its own, and two rules make a nonce acceptable once
 * at most, on any number of gateways:
 *
 * - The timestamp of forgotten nonces is stored before the nonces are deleted.
 * - It is read after the nonce was inserted. So whoever inserts a nonce again that was deleted reads that it is too old.
 */
export function createNonceStore(database: Database): Pick<Store, 'spendNonce'> {
  const { queries } = database
  /** The clock of the spend before; nothing is forgotten by the first one. */
  let clockSeconds = 0
  return {
    async spendNonce(use, nowSeconds) {
      const { consumerKey: login, timestampSeconds } = use
      if (timestampSeconds <= nowSeconds - LIMITS.nonceKeptSeconds) return 'expired'
      const nonce = hashNonce(use)
      const { rows: inserted } = await sql`
        INSERT INTO nonces (login, timestamp, nonce) VALUES (${login}, ${timestampSeconds}, ${nonce})
        ON CONFLICT DO NOTHING RETURNING login`.execute(queries)
      // A clock that reads wrong once makes the store forget nothing.
      const forgottenUpTo = Math.min(nowSeconds, clockSeconds) - LIMITS.nonceKeptSeconds
      const { rows } = await sql<{
        readonly forgotten: number | null
        readonly oldest: number | null
      }>`
        SELECT
          (SELECT newest_timestamp FROM forgotten_nonces WHERE login = ${login}) AS forgotten,
          (SELECT min(timestamp) FROM nonces WHERE login = ${login} AND timestamp <= ${forgottenUpTo}) AS oldest`.execute(
        queries,
      )
      const { forgotten = null, oldest = null } = rows[0] ?? {}
      if (forgotten !== null && forgotten >= timestampSeconds) {
        if (inserted.length > 0) await deleteNonces(queries, login, timestampSeconds, [nonce])
        return 'expired'
      }
      if (inserted.length === 0) return 'replayed'
      clockSeconds = nowSeconds
      if (oldest !== null) await forgetNonces(queries, login, forgottenUpTo)
      await database.reachDisk()
      return 'spent'
    },
  }
}

/** Hashes a nonce as the store keeps it: a caller may send anything as a nonce, a card number too. */
export function hashNonce({ consumerKey, timestampSeconds, nonce }: NonceUse): string {
  const use = JSON.stringify([consumerKey, timestampSeconds, nonce])
  return createHash('sha256').update(use).digest('base64url')
}

/** Forgets the oldest nonces of a login up to a timestamp: a few, so that a rush leaves no long statement. */
async function forgetNonces(queries: Queries, login: string, upTo: number): Promise<void> {
  const old = await queries
    .selectFrom('nonces')
    .select(['timestamp', 'nonce'])
    .where('login', '=', login)
    .where('timestamp', '<=', upTo)
    .orderBy('timestamp')
    .limit(LIMITS.noncesForgottenMax)
    .execute()
  const newest = old.at(-1)?.timestamp
  if (newest === undefined) return
  await queries
    .insertInto('forgotten_nonces')
    .values({ login, newest_timestamp: newest })
    .onConflict((conflict) => {
      return conflict
        .column('login')
        .doUpdateSet({ newest_timestamp: newest })
        .where('forgotten_nonces.newest_timestamp', '<', newest)
    })
    .execute()
  const nonces = old.map(({ nonce }) => nonce)
  await deleteNonces(queries, login, newest, nonces)
}

async function deleteNonces(
  queries: Queries,
  login: string,
  upTo: number,
  nonces: readonly string[],
): Promise<void> {
  await queries
    .deleteFrom('nonces')
    .where('login', '=', login)
    .where('timestamp', '<=', upTo)
    .where('nonce', 'in', nonces)
    .execute()
}
