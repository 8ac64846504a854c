import type { Selectable } from 'kysely'
import * as z from 'zod'
import {
  refuseKnownKey,
  requireActive,
  requireRoom,
  requireView,
  takenLogin,
  unknownKey,
  unknownLogin,
} from './credential-refusals.ts'
import type { Database, Queries } from '../database/database.ts'
import type { Tables } from '../database/schema.ts'
import { readSealed, writeSealed } from '../keys/sealed-secret.ts'
import type { Login, Store, StoredKey } from './store.ts'
import { ROLES } from '@counterfoil/common'

type LoginRow = Selectable<Tables['logins']>
type KeyRow = Omit<Selectable<Tables['keys']>, 'number'> & { readonly last_used_at?: number | null }

type LoginStore = Pick<
  Store,
  'addLogin' | 'changeLogin' | 'removeLogin' | 'listLogins' | 'findLogin'
>
type KeyStore = Pick<Store, 'addKey' | 'listKeys' | 'noteKeyUse' | 'revokeKey'>

/** Stores logins in a database. */
export function createLoginStore(database: Database): LoginStore {
  const { queries } = database
  return {
    async addLogin(login) {
      requireView(login)
      await database.transaction('credentials', async (transaction) => {
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('logins')
          .values({
            ...viewColumns(login),
            login: login.name,
            created_at: login.createdAt.getTime(),
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        if (numInsertedOrUpdatedRows === 0n) throw takenLogin(login.name)
      })
    },

    async changeLogin(login) {
      requireView(login)
      await database.transaction('credentials', async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('logins')
          .set(viewColumns(login))
          .where('login', '=', login.name)
          .where('removed_at', 'is', null)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) throw unknownLogin(login.name)
      })
    },

    async removeLogin(name, removedAt) {
      await database.transaction('credentials', async (transaction) => {
        await requireLogin(transaction, name)
        const at = removedAt.getTime()
        const ofLogin = ['login', '=', name] as const
        await transaction
          .updateTable('logins')
          .set({ removed_at: at })
          .where(...ofLogin)
          .execute()
        await transaction
          .updateTable('keys')
          .set({ revoked_at: at })
          .where(...ofLogin)
          .where('revoked_at', 'is', null)
          .execute()
        await endSessionsWithoutKey(transaction, name)
      })
    },

    async listLogins() {
      const rows = await selectLogins(queries).orderBy('login').execute()
      return rows.map(readLogin)
    },

    async findLogin(name) {
      const row = await selectLogins(queries).where('login', '=', name).executeTakeFirst()
      if (!row) return undefined
      const keys = await selectActiveKeys(queries, name).execute()
      return { ...readLogin(row), keys: keys.map(readKey) }
    },
  }
}

/** Stores the keys of logins in a database. */
export function createKeyStore(database: Database): KeyStore {
  const { queries } = database
  return {
    async addKey(key) {
      const { login, fingerprint } = key
      await database.transaction('credentials', async (transaction) => {
        await requireLogin(transaction, login)
        const same = await transaction
          .selectFrom('keys')
          .selectAll()
          .where('fingerprint', '=', fingerprint)
          .executeTakeFirst()
        refuseKnownKey(same && readKey(same))
        requireRoom(key, (await selectActiveKeys(transaction, login).execute()).map(readKey))
        await transaction.insertInto('keys').values(writeKey(key)).execute()
      })
    },

    async listKeys(login) {
      if (login !== undefined) await requireLogin(queries, login)
      const rows = await queries
        .selectFrom('keys')
        .leftJoin('key_uses', 'key_uses.key_id', 'keys.key_id')
        .selectAll('keys')
        .select('last_used_at')
        .$if(login !== undefined, (query) => query.where('login', '=', login ?? ''))
        .orderBy('created_at')
        .orderBy('number')
        .execute()
      return rows.map(readKey)
    },

    async noteKeyUse(keyId, usedAt) {
      const at = usedAt.getTime()
      await queries
        .insertInto('key_uses')
        .values({ key_id: keyId, last_used_at: at })
        .onConflict((conflict) => {
          return conflict
            .column('key_id')
            .doUpdateSet({ last_used_at: at })
            .where('key_uses.last_used_at', '<', at)
        })
        .execute()
    },

    async revokeKey(keyId, revokedAt) {
      return await database.transaction('credentials', async (transaction) => {
        const row = await transaction
          .selectFrom('keys')
          .selectAll()
          .where('key_id', '=', keyId)
          .executeTakeFirst()
        if (!row) throw unknownKey(keyId)
        const key = readKey(row)
        requireActive(key)
        await transaction
          .updateTable('keys')
          .set({ revoked_at: revokedAt.getTime() })
          .where('key_id', '=', keyId)
          .execute()
        await endSessionsWithoutKey(transaction, key.login)
        return { ...key, revokedAt }
      })
    },
  }
}

/** Throws for a login that the store does not have. */
export async function requireLogin(queries: Queries, login: string): Promise<void> {
  const row = await selectLogins(queries).where('login', '=', login).executeTakeFirst()
  if (!row) throw unknownLogin(login)
}

function selectLogins(queries: Queries) {
  return queries.selectFrom('logins').selectAll().where('removed_at', 'is', null)
}

function selectActiveKeys(queries: Queries, login: string) {
  return queries
    .selectFrom('keys')
    .selectAll()
    .where('login', '=', login)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('number')
}

/** Ends the view sessions and links of a login that has no active key. */
async function endSessionsWithoutKey(queries: Queries, login: string): Promise<void> {
  const key = await selectActiveKeys(queries, login).executeTakeFirst()
  if (!key) await queries.deleteFrom('view_sessions').where('login', '=', login).execute()
}

function viewColumns({ role, sees, bodyHashRequired, timezone }: Omit<Login, 'createdAt'>) {
  return {
    role,
    sees: JSON.stringify(sees),
    body_hash_required: bodyHashRequired ? 1 : 0,
    timezone: timezone ?? null,
  }
}

const roleColumn = z.enum(ROLES)
const seesColumn = z.array(z.string())
const methodColumn = z.enum(['RSA-SHA256', 'HMAC-SHA1'])

/** Reads a row of the table `logins`. Throws if its scope is not readable. */
function readLogin(row: LoginRow): Login {
  return {
    name: row.login,
    role: roleColumn.parse(row.role),
    sees: seesColumn.parse(JSON.parse(row.sees)),
    bodyHashRequired: row.body_hash_required === 1,
    ...(row.timezone !== null && { timezone: row.timezone }),
    createdAt: new Date(row.created_at),
  }
}

function writeKey({ material, ...key }: StoredKey) {
  return {
    key_id: key.keyId,
    login: key.login,
    method: key.method,
    fingerprint: key.fingerprint,
    created_at: key.createdAt.getTime(),
    ...(material.kind === 'public-key' ? { pem: material.pem } : writeSealed(material.sealed)),
  }
}

function readKey(row: KeyRow): StoredKey {
  const { revoked_at: revokedAt, last_used_at: lastUsedAt, pem } = row
  return {
    keyId: row.key_id,
    login: row.login,
    method: methodColumn.parse(row.method),
    fingerprint: row.fingerprint,
    createdAt: new Date(row.created_at),
    ...(revokedAt !== null && { revokedAt: new Date(revokedAt) }),
    ...(typeof lastUsedAt === 'number' && { lastUsedAt: new Date(lastUsedAt) }),
    material:
      pem === null ? { kind: 'control-key', sealed: readSealed(row) } : { kind: 'public-key', pem },
  }
}
