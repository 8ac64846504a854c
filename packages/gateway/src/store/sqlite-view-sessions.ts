import type { DatabaseSync } from 'node:sqlite'
import { disabledLogin, unknownLogin } from './credential-refusals.ts'
import type { Transactions } from './sqlite-transactions.ts'
import { readViewSession } from './view-session-rows.ts'
import type { ViewSession, ViewSessionKey, ViewSessionStore } from './view-session-store.ts'

/** View sessions and their links, in a table of the store's database. */
export class SqliteViewSessions implements ViewSessionStore {
  readonly #statements: ReturnType<typeof prepare>
  readonly #transactions: Transactions

  constructor(database: DatabaseSync, transactions: Transactions) {
    this.#statements = prepare(database)
    this.#transactions = transactions
  }

  async addLink(link: ViewSession, tokenHash: string): Promise<void> {
    const { loginNamed, revokedLogin, forget, insert } = this.#statements
    const { sessionId, login, madeAt, expiresAt } = link
    await this.#transactions.durably(() => {
      if (!loginNamed.get(login)) throw unknownLogin(login)
      if (revokedLogin.get(login)) throw disabledLogin(login)
      forget.run(madeAt.getTime())
      insert.run(sessionId, login, tokenHash, madeAt.getTime(), expiresAt.getTime())
    })
  }

  async begin(
    linkHash: string,
    session: Parameters<ViewSessionStore['begin']>[1],
  ): Promise<ViewSession | undefined> {
    const { linkByHash, begin } = this.#statements
    const beganAt = session.beganAt.getTime()
    // A stranger's token ends here, without a transaction that would keep other writers waiting.
    if (!this.#transactions.read(() => linkByHash.get(linkHash, beganAt))) return undefined
    const row = await this.#transactions.durably(() => {
      const values = [session.tokenHash, beganAt, session.expiresAt.getTime()] as const
      return begin.get(...values, linkHash, beganAt)
    })
    return row && readViewSession(row)
  }

  async find(tokenHash: string, now: Date): Promise<ViewSession | undefined> {
    const row = this.#transactions.read(() => {
      return this.#statements.sessionByHash.get(tokenHash, now.getTime())
    })
    return row && readViewSession(row)
  }

  async list(now: Date): Promise<readonly ViewSession[]> {
    const rows = this.#transactions.read(() => this.#statements.all.all(now.getTime()))
    return rows.map(readViewSession)
  }

  async end(ended: ViewSessionKey, now: Date): Promise<readonly ViewSession[]> {
    const { endOne, endOf } = this.#statements
    const rows = await this.#transactions.durably(() => {
      return 'login' in ended
        ? endOf.all(ended.login, now.getTime())
        : endOne.all(ended.sessionId, now.getTime())
    })
    return rows.map(readViewSession)
  }
}

function prepare(database: DatabaseSync) {
  const statement = (sql: string) => database.prepare(sql)
  return {
    loginNamed: statement('SELECT 1 FROM consumers WHERE login = ?'),
    revokedLogin: statement(
      'SELECT 1 FROM keys WHERE login = ? GROUP BY login HAVING count(*) = count(revoked_at)',
    ),
    forget: statement('DELETE FROM view_sessions WHERE expires_at <= ?'),
    insert: statement(
      `INSERT INTO view_sessions (session_id, login, token_hash, made_at, expires_at)
       VALUES (?, ?, ?, ?, ?)`,
    ),
    linkByHash: statement(
      `SELECT 1 FROM view_sessions WHERE token_hash = ? AND began_at IS NULL AND expires_at > ?`,
    ),
    begin: statement(
      `UPDATE view_sessions SET token_hash = ?, began_at = ?, expires_at = ?
       WHERE token_hash = ? AND began_at IS NULL AND expires_at > ? RETURNING *`,
    ),
    sessionByHash: statement(
      `SELECT * FROM view_sessions
       WHERE token_hash = ? AND began_at IS NOT NULL AND expires_at > ?`,
    ),
    all: statement('SELECT * FROM view_sessions WHERE expires_at > ? ORDER BY made_at, session_id'),
    endOne: statement(
      'DELETE FROM view_sessions WHERE session_id = ? AND expires_at > ? RETURNING *',
    ),
    endOf: statement('DELETE FROM view_sessions WHERE login = ? AND expires_at > ? RETURNING *'),
  }
}
