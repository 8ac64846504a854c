import type { DatabaseSync } from 'node:sqlite'
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
import type { Transactions } from './sqlite-transactions.ts'

/** The records of runs, in a table of the store's database. */
export class SqliteRuns implements RunStore {
  readonly #statements: ReturnType<typeof prepareRuns>
  readonly #transactions: Transactions

  constructor(database: DatabaseSync, transactions: Transactions) {
    this.#statements = prepareRuns(database)
    this.#transactions = transactions
  }

  async add(runs: readonly StoredRun[]): Promise<void> {
    await this.#transactions.durably(() => {
      for (const { runId, login, reportIdentifier, endedAt, record } of runs) {
        this.#statements.insert.run(runId, login, reportIdentifier, endedAt.getTime(), record)
      }
    })
  }

  async find(runId: string): Promise<ListedRun | undefined> {
    const row = this.#transactions.read(() => this.#statements.byId.get(runId))
    return row && readRun(row)
  }

  async list(query: RunQuery): Promise<ListedRuns> {
    // SQLite reads each row when the list asks for it.
    return this.#transactions.read(() => listRuns(this.#rowsOf(query), query))
  }

  #rowsOf({ login, reportIdentifier: report, before, limit }: RunQuery): Iterable<unknown> {
    const { ofAll, ofLogin, ofReport, ofLoginAndReport } = this.#statements
    const shared = { before: before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 }
    if (login === undefined) {
      return report === undefined ? ofAll.iterate(shared) : ofReport.iterate({ ...shared, report })
    }
    const own = { ...shared, login }
    return report === undefined
      ? ofLogin.iterate(own)
      : ofLoginAndReport.iterate({ ...own, report })
  }

  async forget(endedBefore: Date, countMax: number): Promise<number> {
    const { changes } = this.#transactions.run(() => {
      return this.#statements.forget.run(endedBefore.getTime(), countMax)
    })
    return Number(changes)
  }

  async forgetBeyond(login: string, keptMax: number, countMax: number): Promise<number> {
    const { changes } = this.#transactions.run(() => {
      return this.#statements.forgetBeyond.run({ login, keptMax, countMax })
    })
    return Number(changes)
  }
}

function prepareRuns(database: DatabaseSync) {
  /** Each statement follows an index, so that it reads no more rows than it lists. */
  const listed = (condition: string) =>
    database.prepare(
      `SELECT * FROM runs WHERE ${condition} number < :before ORDER BY number DESC LIMIT :limit`,
    )
  return {
    insert: database.prepare(
      `INSERT INTO runs (run_id, login, report, ended_at, record) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    ),
    byId: database.prepare('SELECT * FROM runs WHERE run_id = ?'),
    ofAll: listed(''),
    ofLogin: listed('login = :login AND'),
    ofReport: listed('report = :report AND'),
    ofLoginAndReport: listed('login = :login AND report = :report AND'),
    forget: database.prepare(
      `DELETE FROM runs WHERE number IN
         (SELECT number FROM runs WHERE ended_at < ? ORDER BY ended_at LIMIT ?)`,
    ),
    forgetBeyond: database.prepare(
      `DELETE FROM runs WHERE number IN
         (SELECT number FROM runs WHERE login = :login AND number <=
            (SELECT number FROM runs WHERE login = :login ORDER BY number DESC LIMIT 1 OFFSET :keptMax)
          ORDER BY number LIMIT :countMax)`,
    ),
  }
}

/** The keys of manifests, in a table of the store's database. */
export class SqliteSigningKeys implements SigningKeyStore {
  readonly #statements: { readonly insert: Statement; readonly all: Statement }
  readonly #transactions: Transactions

  constructor(database: DatabaseSync, transactions: Transactions) {
    this.#transactions = transactions
    this.#statements = {
      insert: database.prepare(
        `INSERT INTO signing_keys
           (key_id, created_at, public_jwk, master_key_version, iv, ciphertext, tag)
         SELECT ?, ?, ?, ?, ?, ?, ? WHERE (SELECT count(*) FROM signing_keys) = ?`,
      ),
      all: database.prepare('SELECT * FROM signing_keys ORDER BY created_at, rowid'),
    }
  }

  async add(key: StoredSigningKey, count: number): Promise<readonly StoredSigningKey[]> {
    const { insert, all } = this.#statements
    return await this.#transactions.durably(() => {
      insert.run(...signingKeyColumns(key), count)
      return all.all().map(readSigningKey)
    })
  }

  async list(): Promise<readonly StoredSigningKey[]> {
    return this.#transactions.read(() => this.#statements.all.all().map(readSigningKey))
  }
}

type Statement = ReturnType<DatabaseSync['prepare']>
