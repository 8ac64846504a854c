import * as z from 'zod'
import { instant, sql, StorePart } from '../database/database.ts'
import { refusal, requireLogin } from './login-store.ts'

const sessionRow = z.object({
  sessionId: z.string(),
  login: z.string(),
  /** When the operator made the link. */
  madeAt: instant,
  /** When somebody used the link. Absent for an unused link. */
  beganAt: z.exactOptional(instant),
  /** The end of the session, or of an unused link. */
  expiresAt: instant,
})
const keyCounts = z.object({ keys: z.int(), revoked: z.int() })

/**
 * A one-time link that begins a view session, or the session that it began. Both have the same id. The store knows the
 * SHA-256 of their tokens only.
 */
export type ViewSession = Readonly<z.output<typeof sessionRow>>

/** What names view sessions and links. */
export type ViewSessionKey = { readonly sessionId: string } | { readonly login: string }

/** View sessions and their links. No method returns an expired one. */
export class ViewSessionStore extends StorePart {
  /**
   * Adds an unused link, and deletes what has expired. Refuses an unknown login, and one whose every key is revoked. A
   * login that has no key yet may get a link.
   */
  async addLink(link: ViewSession, tokenHash: string): Promise<void> {
    const { sessionId, login } = link
    const [madeAt, expiresAt] = [link.madeAt.getTime(), link.expiresAt.getTime()]
    await this.database.transaction('credentials', async (queries) => {
      await requireLogin(queries, login)
      const counts = await queries.first(
        keyCounts,
        sql`SELECT count(*) AS keys, count(revoked_at) AS revoked FROM keys WHERE login = ${login}`,
      )
      if (counts && counts.keys > 0 && counts.keys === counts.revoked) {
        throw refusal(`Every key of ${login} is revoked. Add a key to it, or use another login`)
      }
      await queries.run(sql`DELETE FROM view_sessions WHERE expires_at <= ${madeAt}`)
      await queries.run(sql`
        INSERT INTO view_sessions (session_id, login, token_hash, made_at, expires_at)
        VALUES (${[sessionId, login, tokenHash, madeAt, expiresAt]})`)
    })
  }

  /**
   * Begins the session of a link, and replaces the hash of the link by the hash of the session. Of two calls for one
   * link, the first succeeds. Writes nothing if there is no such link.
   */
  async begin(
    linkHash: string,
    session: { readonly tokenHash: string; readonly beganAt: Date; readonly expiresAt: Date },
  ): Promise<ViewSession | undefined> {
    const [beganAt, expiresAt] = [session.beganAt.getTime(), session.expiresAt.getTime()]
    const begun = await this.database.first(
      sessionRow,
      sql`UPDATE view_sessions
        SET token_hash = ${session.tokenHash}, began_at = ${beganAt}, expires_at = ${expiresAt}
        WHERE token_hash = ${linkHash} AND began_at IS NULL AND expires_at > ${beganAt}
        RETURNING *`,
    )
    if (begun) await this.database.reachDisk()
    return begun
  }

  /** Finds a session by the hash of its token. Does not find links. */
  async find(tokenHash: string, now: Date): Promise<ViewSession | undefined> {
    return await this.database.first(
      sessionRow,
      sql`SELECT * FROM view_sessions
        WHERE token_hash = ${tokenHash} AND began_at IS NOT NULL AND expires_at > ${now.getTime()}`,
    )
  }

  /** Lists sessions and unused links, the oldest first. */
  async list(now: Date): Promise<readonly ViewSession[]> {
    return await this.database.all(
      sessionRow,
      sql`SELECT * FROM view_sessions WHERE expires_at > ${now.getTime()}
        ORDER BY made_at, session_id`,
    )
  }

  /** Ends the session or the link of an id, or all of a login. Returns what it ended. */
  async end(ended: ViewSessionKey, now: Date): Promise<readonly ViewSession[]> {
    const which =
      'login' in ended ? sql`login = ${ended.login}` : sql`session_id = ${ended.sessionId}`
    const rows = await this.database.all(
      sessionRow,
      sql`DELETE FROM view_sessions WHERE ${which} AND expires_at > ${now.getTime()} RETURNING *`,
    )
    await this.database.reachDisk()
    return rows
  }
}
