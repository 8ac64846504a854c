import * as z from 'zod'
import { instant, type Queries, sql, StorePart } from '../database/database.ts'
import { sealedSecret } from '../keys/seal.ts'

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

const runRow = z
  .object({
    number: z.int(),
    runId: z.string(),
    login: z.string(),
    report: z.string(),
    endedAt: instant,
    /** The record as JSON. */
    record: z.string(),
  })
  .transform(({ report, ...run }) => ({ ...run, reportIdentifier: report }))
const sizeRow = z.object({ number: z.int(), bytes: z.int() })

/** A stored run, and its number in the order in which runs were added. */
export type ListedRun = Readonly<z.output<typeof runRow>>

/** The record of a run as the store keeps it. */
export type StoredRun = Omit<ListedRun, 'number'>

/** Some runs, and whether the query has more. */
export interface ListedRuns {
  readonly runs: readonly ListedRun[]
  readonly hasMore: boolean
}

export class RunStore extends StorePart {
  /** Adds runs. A run that the store has already stays as it is. */
  async add(runs: readonly StoredRun[]): Promise<void> {
    if (runs.length === 0) return
    const rows = runs.map(({ runId, login, reportIdentifier, endedAt, record }) => {
      return sql`(${[runId, login, reportIdentifier, endedAt.getTime(), record]})`
    })
    await this.database.run(sql`
      INSERT INTO runs (run_id, login, report, ended_at, record) VALUES ${rows}
      ON CONFLICT DO NOTHING`)
    await this.database.reachDisk()
  }

  async find(runId: string): Promise<ListedRun | undefined> {
    return await this.database.first(runRow, sql`SELECT * FROM runs WHERE run_id = ${runId}`)
  }

  /** Lists runs, the newest first. Reads hardly more than it lists. */
  async list({ login, reportIdentifier, before, limit, bytesMax }: RunQuery): Promise<ListedRuns> {
    // Without a condition for what is not asked, each statement follows an index.
    const listed = sql`FROM runs WHERE number < ${before ?? Number.MAX_SAFE_INTEGER}
      ${login === undefined ? sql`` : sql`AND login = ${login}`}
      ${reportIdentifier === undefined ? sql`` : sql`AND report = ${reportIdentifier}`}`
    // The lengths of the records come first, so that the database sends no record that does not fit.
    const sizes = await this.database.all(
      sizeRow,
      sql`SELECT number, octet_length(record) AS bytes ${listed}
        ORDER BY number DESC LIMIT ${limit + 1}`,
    )
    let listedBytes = 0
    const fitting = sizes.findIndex(({ bytes }, index) => {
      listedBytes += bytes
      return index === limit || (index > 0 && listedBytes > bytesMax)
    })
    const hasMore = fitting !== -1
    const last = sizes.at(hasMore ? fitting - 1 : -1)
    if (!last) return { runs: [], hasMore: false }
    const fits = sql`SELECT * ${listed} AND number >= ${last.number} ORDER BY number DESC`
    return { runs: await this.database.all(runRow, fits), hasMore }
  }

  /** Deletes runs that ended before a time: at most `countMax`, the oldest first. Returns how many it deleted. */
  async forget(endedBefore: Date, countMax: number): Promise<number> {
    return await this.database.run(sql`
      DELETE FROM runs WHERE number IN (
        SELECT number FROM runs WHERE ended_at < ${endedBefore.getTime()}
        ORDER BY ended_at LIMIT ${countMax}
      )`)
  }

  /** Deletes at most `countMax` runs of a login beyond the newest `keptMax`, the oldest first. Returns their number. */
  async forgetBeyond(login: string, keptMax: number, countMax: number): Promise<number> {
    return await this.database.run(sql`
      DELETE FROM runs WHERE number IN (
        SELECT number FROM runs WHERE login = ${login} AND number <= (
          SELECT number FROM runs WHERE login = ${login} ORDER BY number DESC LIMIT 1 OFFSET ${keptMax}
        ) ORDER BY number LIMIT ${countMax}
      )`)
  }
}

const signingKeyRow = z
  .object({
    keyId: z.string(),
    createdAt: instant,
    /** The public key as JSON (RFC 7517). */
    publicJwk: z.string(),
    ...sealedSecret.shape,
  })
  // The private key is PKCS#8 text.
  .transform(({ keyId, createdAt, publicJwk, ...sealed }) => ({
    keyId,
    createdAt,
    publicJwk,
    sealed,
  }))

/** A key with which the gateway signs manifests. */
export type StoredSigningKey = Readonly<z.output<typeof signingKeyRow>>

/** The keys with which the gateway signs manifests. Gateways that share the store share them. */
export class SigningKeyStore extends StorePart {
  /** Adds a key if the store still has `count` keys. Returns all keys, the oldest first. */
  async add(key: StoredSigningKey, count: number): Promise<readonly StoredSigningKey[]> {
    const { keyId, createdAt, publicJwk, sealed } = key
    const { masterKeyVersion, iv, ciphertext, tag } = sealed
    return await this.database.transaction('credentials', async (queries) => {
      const keys = await listSigningKeys(queries)
      if (keys.length !== count) return keys
      await queries.run(sql`
        INSERT INTO signing_keys (
          key_id, created_at, public_jwk, master_key_version, iv, ciphertext, tag
        ) VALUES (${[keyId, createdAt.getTime(), publicJwk, masterKeyVersion, iv, ciphertext, tag]})`)
      return await listSigningKeys(queries)
    })
  }

  /** Lists all keys, the oldest first. */
  async list(): Promise<readonly StoredSigningKey[]> {
    return await listSigningKeys(this.database)
  }
}

async function listSigningKeys(queries: Queries): Promise<readonly StoredSigningKey[]> {
  const all = sql`SELECT * FROM signing_keys ORDER BY created_at, key_id`
  return await queries.all(signingKeyRow, all)
}
