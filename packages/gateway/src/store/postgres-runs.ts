import { LOCKS, type PostgresDatabase } from './postgres-database.ts'
import { listRuns, readRun, readSigningKey, signingKeyColumns } from './run-rows.ts'
import type {
  ListedRun,
  ListedRuns,
  RunQuery,
  RunStore,
  SigningKeyStore,
  StoredRun,
  StoredSigningKey,
} from './run-store.ts'

/** The records of runs, in a table of PostgreSQL. */
export class PostgresRuns implements RunStore {
  readonly #database: PostgresDatabase

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  async add(runs: readonly StoredRun[]): Promise<void> {
    await this.#database.query(
      `INSERT INTO runs (run_id, login, report, ended_at, record)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
       ON CONFLICT DO NOTHING`,
      [
        runs.map(({ runId }) => runId),
        runs.map(({ login }) => login),
        runs.map(({ reportIdentifier }) => reportIdentifier),
        runs.map(({ endedAt }) => endedAt.getTime()),
        runs.map(({ record }) => record),
      ],
    )
  }

  async find(runId: string): Promise<ListedRun | undefined> {
    const [row] = await this.#database.query('SELECT * FROM runs WHERE run_id = $1', [runId])
    return row === undefined ? undefined : readRun(row)
  }

  async list(query: RunQuery): Promise<ListedRuns> {
    const { login, reportIdentifier, before, limit, bytesMax } = query
    const values: unknown[] = [before ?? Number.MAX_SAFE_INTEGER, limit + 1, bytesMax]
    const equal = (column: string, value: string | undefined): string => {
      return value === undefined ? '' : ` AND ${column} = $${values.push(value)}`
    }
    // Without a condition for what is not asked, each statement follows an index.
    const where = `number < $1${equal('login', login)}${equal('report', reportIdentifier)}`
    // The server sends the runs that fit, and one more.
    const rows = await this.#database.query(
      `SELECT * FROM
         (SELECT *, row_number() OVER newest AS place, octet_length(record) AS bytes,
            sum(octet_length(record)) OVER newest AS bytes_so_far
          FROM runs WHERE ${where} WINDOW newest AS (ORDER BY number DESC)
          ORDER BY number DESC LIMIT $2) AS listed
       WHERE place <= 2 OR bytes_so_far - bytes <= $3 ORDER BY number DESC`,
      values,
    )
    return listRuns(rows, query)
  }

  async forget(endedBefore: Date, countMax: number): Promise<number> {
    const rows = await this.#database.query(
      `DELETE FROM runs WHERE number IN
         (SELECT number FROM runs WHERE ended_at < $1 ORDER BY ended_at LIMIT $2)
       RETURNING number`,
      [endedBefore.getTime(), countMax],
    )
    return rows.length
  }

  async forgetBeyond(login: string, keptMax: number, countMax: number): Promise<number> {
    const rows = await this.#database.query(
      `DELETE FROM runs WHERE number IN
         (SELECT number FROM runs WHERE login = $1 AND number <=
            (SELECT number FROM runs WHERE login = $1 ORDER BY number DESC LIMIT 1 OFFSET $2)
          ORDER BY number LIMIT $3)
       RETURNING number`,
      [login, keptMax, countMax],
    )
    return rows.length
  }
}

/** The keys of manifests, in a table of PostgreSQL. */
export class PostgresSigningKeys implements SigningKeyStore {
  readonly #database: PostgresDatabase

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  async add(key: StoredSigningKey, count: number): Promise<readonly StoredSigningKey[]> {
    return await this.#database.transaction(async (query) => {
      await query(
        `INSERT INTO signing_keys
           (key_id, created_at, public_jwk, master_key_version, iv, ciphertext, tag)
         SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM signing_keys) = $8`,
        [...signingKeyColumns(key), count],
      )
      return (await query(ALL)).map(readSigningKey)
    }, LOCKS.credentials)
  }

  async list(): Promise<readonly StoredSigningKey[]> {
    return (await this.#database.query(ALL)).map(readSigningKey)
  }
}

const ALL = 'SELECT * FROM signing_keys ORDER BY created_at, key_id'
