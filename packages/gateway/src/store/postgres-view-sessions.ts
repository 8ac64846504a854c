import * as z from 'zod'
import { disabledLogin, unknownLogin } from './credential-refusals.ts'
import { LOCKS, type PostgresDatabase } from './postgres-database.ts'
import { readViewSession } from './view-session-rows.ts'
import type { ViewSession, ViewSessionKey, ViewSessionStore } from './view-session-store.ts'

const hashRow = z.object({ token_hash: z.string() })

const REVOKED_LOGIN = `SELECT 1 FROM keys WHERE login = $1
  GROUP BY login HAVING count(*) = count(revoked_at)`

/** The look-ups that one statement answers. */
const LOOKUPS_AT_ONCE = 1_000

interface Lookup {
  readonly tokenHash: string
  readonly found: PromiseWithResolvers<unknown>
}

/** View sessions and their links, in a table of PostgreSQL. */
export class PostgresViewSessions implements ViewSessionStore {
  readonly #database: PostgresDatabase
  #waiting: Lookup[] = []
  #isLookingUp = false

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  async addLink(link: ViewSession, tokenHash: string): Promise<void> {
    const { sessionId, login, madeAt, expiresAt } = link
    await this.#database.transaction(async (query) => {
      const [known] = await query('SELECT 1 FROM logins WHERE login = $1', [login])
      if (known === undefined) throw unknownLogin(login)
      const [revoked] = await query(REVOKED_LOGIN, [login])
      if (revoked !== undefined) throw disabledLogin(login)
      await query('DELETE FROM view_sessions WHERE expires_at <= $1', [madeAt.getTime()])
      await query(
        `INSERT INTO view_sessions (session_id, login, token_hash, made_at, expires_at)
         VALUES ($1, $2, $3, $4, $5)`,
        [sessionId, login, tokenHash, madeAt.getTime(), expiresAt.getTime()],
      )
    }, LOCKS.credentials)
  }

  async begin(
    linkHash: string,
    session: Parameters<ViewSessionStore['begin']>[1],
  ): Promise<ViewSession | undefined> {
    if ((await this.#lookUp(linkHash)) === undefined) return undefined
    const beganAt = session.beganAt.getTime()
    const [row] = await this.#database.query(
      `UPDATE view_sessions SET token_hash = $1, began_at = $2, expires_at = $3
       WHERE token_hash = $4 AND began_at IS NULL AND expires_at > $2 RETURNING *`,
      [session.tokenHash, beganAt, session.expiresAt.getTime(), linkHash],
    )
    return row === undefined ? undefined : readViewSession(row)
  }

  async find(tokenHash: string, now: Date): Promise<ViewSession | undefined> {
    const row = await this.#lookUp(tokenHash)
    const found = row === undefined ? undefined : readViewSession(row)
    return found?.beganAt !== undefined && found.expiresAt > now ? found : undefined
  }

  async list(now: Date): Promise<readonly ViewSession[]> {
    const rows = await this.#database.query(
      'SELECT * FROM view_sessions WHERE expires_at > $1 ORDER BY made_at, session_id',
      [now.getTime()],
    )
    return rows.map(readViewSession)
  }

  async end(ended: ViewSessionKey, now: Date): Promise<readonly ViewSession[]> {
    const [column, value] =
      'login' in ended ? ['login', ended.login] : ['session_id', ended.sessionId]
    const rows = await this.#database.query(
      `DELETE FROM view_sessions WHERE ${column} = $1 AND expires_at > $2 RETURNING *`,
      [value, now.getTime()],
    )
    return rows.map(readViewSession)
  }

  /**
   * Looks a hash up. All look-ups that arrive while a statement runs share the next one, so that strangers cannot take
   * more than one connection.
   */
  async #lookUp(tokenHash: string): Promise<unknown> {
    const found = Promise.withResolvers<unknown>()
    this.#waiting.push({ tokenHash, found })
    if (!this.#isLookingUp) void this.#lookUpWaiting()
    return await found.promise
  }

  async #lookUpWaiting(): Promise<void> {
    this.#isLookingUp = true
    while (this.#waiting.length > 0) {
      const lookups = this.#waiting.splice(0, LOOKUPS_AT_ONCE)
      try {
        const rows = await this.#database.query(
          'SELECT * FROM view_sessions WHERE token_hash = ANY ($1)',
          [lookups.map(({ tokenHash }) => tokenHash)],
        )
        const byHash = new Map(rows.map((row) => [hashRow.parse(row).token_hash, row]))
        for (const { tokenHash, found } of lookups) found.resolve(byHash.get(tokenHash))
      } catch (error) {
        for (const { found } of lookups) found.reject(error)
      }
    }
    this.#isLookingUp = false
  }
}
