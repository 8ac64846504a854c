import type { Selectable } from 'kysely'
import { disabledLogin } from './credential-refusals.ts'
import type { Database, Queries } from '../database/database.ts'
import { requireLogin } from './logins.ts'
import type { Tables } from '../database/schema.ts'
import type { ViewSession, ViewSessionStore } from './view-session-store.ts'

/** Stores view sessions and their links in a database. */
export function createViewSessionStore(database: Database): ViewSessionStore {
  const { queries } = database
  return {
    async addLink({ sessionId, login, madeAt, expiresAt }, tokenHash) {
      const made_at = madeAt.getTime()
      await database.transaction('credentials', async (transaction) => {
        await requireLogin(transaction, login)
        await requireKey(transaction, login)
        await transaction.deleteFrom('view_sessions').where('expires_at', '<=', made_at).execute()
        const row = { session_id: sessionId, login, token_hash: tokenHash, made_at }
        await transaction
          .insertInto('view_sessions')
          .values({ ...row, expires_at: expiresAt.getTime() })
          .execute()
      })
    },

    async begin(linkHash, { tokenHash, beganAt, expiresAt }) {
      const began_at = beganAt.getTime()
      const row = await queries
        .updateTable('view_sessions')
        .set({ token_hash: tokenHash, began_at, expires_at: expiresAt.getTime() })
        .where('token_hash', '=', linkHash)
        .where('began_at', 'is', null)
        .where('expires_at', '>', began_at)
        .returningAll()
        .executeTakeFirst()
      if (!row) return undefined
      await database.reachDisk()
      return readViewSession(row)
    },

    async find(tokenHash, now) {
      const row = await queries
        .selectFrom('view_sessions')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .where('began_at', 'is not', null)
        .where('expires_at', '>', now.getTime())
        .executeTakeFirst()
      return row && readViewSession(row)
    },

    async list(now) {
      const rows = await queries
        .selectFrom('view_sessions')
        .selectAll()
        .where('expires_at', '>', now.getTime())
        .orderBy('made_at')
        .orderBy('session_id')
        .execute()
      return rows.map(readViewSession)
    },

    async end(ended, now) {
      const rows = await queries
        .deleteFrom('view_sessions')
        .where((where) => {
          return 'login' in ended
            ? where('login', '=', ended.login)
            : where('session_id', '=', ended.sessionId)
        })
        .where('expires_at', '>', now.getTime())
        .returningAll()
        .execute()
      await database.reachDisk()
      return rows.map(readViewSession)
    },
  }
}

/** Throws for a login whose every key is revoked. A login that has no key yet may get a link. */
async function requireKey(queries: Queries, login: string): Promise<void> {
  const keys = await queries
    .selectFrom('keys')
    .select('revoked_at')
    .where('login', '=', login)
    .execute()
  const revoked = keys.filter((key) => key.revoked_at !== null)
  if (keys.length > 0 && revoked.length === keys.length) throw disabledLogin(login)
}

function readViewSession(row: Selectable<Tables['view_sessions']>): ViewSession {
  return {
    sessionId: row.session_id,
    login: row.login,
    madeAt: new Date(row.made_at),
    ...(row.began_at !== null && { beganAt: new Date(row.began_at) }),
    expiresAt: new Date(row.expires_at),
  }
}
