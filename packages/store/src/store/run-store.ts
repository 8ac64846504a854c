import { type Selectable, sql } from 'kysely'
import type { Database, Queries } from '../database/database.ts'
import type { Tables } from '../database/schema.ts'
import { readSealed, type SealedSecret, writeSealed } from '../keys/sealed-secret.ts'

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

/** Stores the records of runs in a database. */
export function createRunStore(database: Database): RunStore {
  const { queries } = database
  return {
    async add(runs) {
      if (runs.length === 0) return
      const rows = runs.map(({ runId, login, reportIdentifier, endedAt, record }) => {
        const ended_at = endedAt.getTime()
        return { run_id: runId, login, report: reportIdentifier, ended_at, record }
      })
      await queries
        .insertInto('runs')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await database.reachDisk()
    },

    async find(runId) {
      const row = await queries
        .selectFrom('runs')
        .selectAll()
        .where('run_id', '=', runId)
        .executeTakeFirst()
      return row && readRun(row)
    },

    list: async (query) => await listRuns(queries, query),

    async forget(endedBefore, countMax) {
      const { numDeletedRows } = await queries
        .deleteFrom('runs')
        .where('number', 'in', (from) => {
          return from
            .selectFrom('runs')
            .select('number')
            .where('ended_at', '<', endedBefore.getTime())
            .orderBy('ended_at')
            .limit(countMax)
        })
        .executeTakeFirst()
      return Number(numDeletedRows)
    },

    async forgetBeyond(login, keptMax, countMax) {
      const { numDeletedRows } = await queries
        .deleteFrom('runs')
        .where('number', 'in', (from) => {
          const ofLogin = from.selectFrom('runs').select('number').where('login', '=', login)
          const newest = ofLogin.orderBy('number', 'desc').limit(1).offset(keptMax)
          return ofLogin.where('number', '<=', newest).orderBy('number').limit(countMax)
        })
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

async function listRuns(queries: Queries, query: RunQuery): Promise<ListedRuns> {
  const { limit, bytesMax } = query
  // The lengths of the records come first, so that the database sends no record that does not fit.
  const sizes = await selectListed(queries, query)
    .select(['number', sql<number>`octet_length(record)`.as('bytes')])
    .limit(limit + 1)
    .execute()
  let listedBytes = 0
  const fitting = sizes.findIndex(({ bytes }, index) => {
    listedBytes += bytes
    return index === limit || (index > 0 && listedBytes > bytesMax)
  })
  const hasMore = fitting !== -1
  const last = sizes.at(hasMore ? fitting - 1 : -1)
  if (!last) return { runs: [], hasMore: false }
  const rows = await selectListed(queries, query)
    .selectAll()
    .where('number', '>=', last.number)
    .execute()
  return { runs: rows.map(readRun), hasMore }
}

/** Stores the keys of manifests in a database. */
export function createSigningKeyStore(database: Database): SigningKeyStore {
  return {
    async add(key, count) {
      return await database.transaction('credentials', async (transaction) => {
        const keys = await listSigningKeys(transaction)
        if (keys.length !== count) return keys
        const { keyId, createdAt, publicJwk, sealed } = key
        const row = { key_id: keyId, created_at: createdAt.getTime(), public_jwk: publicJwk }
        await transaction
          .insertInto('signing_keys')
          .values({ ...row, ...writeSealed(sealed) })
          .execute()
        return await listSigningKeys(transaction)
      })
    },
    list: async () => await listSigningKeys(database.queries),
  }
}

function selectListed(queries: Queries, { login, reportIdentifier, before }: RunQuery) {
  // Without a condition for what is not asked, each statement follows an index.
  return queries
    .selectFrom('runs')
    .where('number', '<', before ?? Number.MAX_SAFE_INTEGER)
    .$if(login !== undefined, (query) => query.where('login', '=', login ?? ''))
    .$if(reportIdentifier !== undefined, (query) => {
      return query.where('report', '=', reportIdentifier ?? '')
    })
    .orderBy('number', 'desc')
}

async function listSigningKeys(queries: Queries): Promise<readonly StoredSigningKey[]> {
  const rows = await queries
    .selectFrom('signing_keys')
    .selectAll()
    .orderBy('created_at')
    .orderBy('key_id')
    .execute()
  return rows.map((row) => ({
    keyId: row.key_id,
    createdAt: new Date(row.created_at),
    publicJwk: row.public_jwk,
    sealed: readSealed(row),
  }))
}

function readRun(row: Selectable<Tables['runs']>): ListedRun {
  return {
    number: row.number,
    runId: row.run_id,
    login: row.login,
    reportIdentifier: row.report,
    endedAt: new Date(row.ended_at),
    record: row.record,
  }
}
