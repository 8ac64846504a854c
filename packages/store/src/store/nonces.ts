import { createHash } from 'node:crypto'
import type { NonceOutcome, NonceUse } from '@counterfoil/signing'
import * as z from 'zod'
import { LIMITS } from '@counterfoil/common'
import { type Database, type Queries, sql } from '../database/database.ts'

const nonceRow = z.object({ timestamp: z.int(), nonce: z.string() })
const ageRow = z.object({
  forgotten: z.exactOptional(z.int()),
  oldest: z.exactOptional(z.int()),
})

/**
 * Returns the function that spends nonces in a database (`Store.spendNonce`). Every statement is a transaction of its
 * own, and two rules make a nonce acceptable once at most, on any number of gateways:
 *
 * - The timestamp of forgotten nonces is stored before the nonces are deleted.
 * - It is read after the nonce was inserted. So whoever inserts a nonce again that was deleted reads that it is too old.
 */
export function createNonces(
  database: Database,
): (use: NonceUse, nowSeconds: number) => Promise<NonceOutcome> {
  /** The clock of the spend before; nothing is forgotten by the first one. */
  let clockSeconds = 0
  const spend = async (use: NonceUse, nowSeconds: number): Promise<NonceOutcome> => {
    const { consumerKey: login, timestampSeconds } = use
    if (timestampSeconds <= nowSeconds - LIMITS.nonceKeptSeconds) return 'expired'
    const nonce = hashNonce(use)
    const inserted = await database.run(sql`
      INSERT INTO nonces (login, timestamp, nonce) VALUES (${login}, ${timestampSeconds}, ${nonce})
      ON CONFLICT DO NOTHING`)
    // A clock that reads wrong once makes the store forget nothing.
    const forgottenUpTo = Math.min(nowSeconds, clockSeconds) - LIMITS.nonceKeptSeconds
    const age = await database.first(
      ageRow,
      sql`SELECT
        (SELECT newest_timestamp FROM forgotten_nonces WHERE login = ${login}) AS forgotten,
        (SELECT min(timestamp) FROM nonces WHERE login = ${login} AND timestamp <= ${forgottenUpTo}) AS oldest`,
    )
    if (age?.forgotten !== undefined && age.forgotten >= timestampSeconds) {
      if (inserted > 0) await deleteNonces(database, login, [nonce], timestampSeconds)
      return 'expired'
    }
    if (inserted === 0) return 'replayed'
    clockSeconds = nowSeconds
    if (age?.oldest !== undefined) await forgetNonces(database, login, forgottenUpTo)
    await database.reachDisk()
    return 'spent'
  }
  return (use, nowSeconds) => database.share(use.consumerKey, () => spend(use, nowSeconds))
}

/** Hashes a nonce as the store keeps it: a caller may send anything as a nonce, a card number too. */
export function hashNonce({ consumerKey, timestampSeconds, nonce }: NonceUse): string {
  const use = JSON.stringify([consumerKey, timestampSeconds, nonce])
  return createHash('sha256').update(use).digest('base64url')
}

/** Forgets the oldest nonces of a login up to a timestamp: a few, so that a rush leaves no long statement. */
async function forgetNonces(queries: Queries, login: string, upTo: number): Promise<void> {
  const old = await queries.all(
    nonceRow,
    sql`SELECT timestamp, nonce FROM nonces WHERE login = ${login} AND timestamp <= ${upTo}
      ORDER BY timestamp LIMIT ${LIMITS.noncesForgottenMax}`,
  )
  const newest = old.at(-1)?.timestamp
  if (newest === undefined) return
  await queries.run(sql`
    INSERT INTO forgotten_nonces (login, newest_timestamp) VALUES (${login}, ${newest})
    ON CONFLICT (login) DO UPDATE SET newest_timestamp = excluded.newest_timestamp
    WHERE forgotten_nonces.newest_timestamp < excluded.newest_timestamp`)
  await deleteNonces(
    queries,
    login,
    old.map(({ nonce }) => nonce),
    newest,
  )
}

async function deleteNonces(
  queries: Queries,
  login: string,
  nonces: readonly string[],
  upTo: number,
): Promise<void> {
  await queries.run(sql`
    DELETE FROM nonces WHERE login = ${login} AND timestamp <= ${upTo} AND nonce IN (${nonces})`)
}
