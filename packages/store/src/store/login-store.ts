import * as z from 'zod'
import { GatewayError, LIMITS, ROLES } from '@counterfoil/common'
import { instant, type Queries, sql, StorePart } from '../database/database.ts'
import { sealedSecret } from '../keys/seal.ts'

const loginRow = z
  .object({
    login: z.string(),
    role: z.enum(ROLES),
    /** Ids of managers, resellers or merchants, as the role says; never empty, but for an operator, who sees everything. */
    sees: z.string().transform((ids): readonly string[] => {
      return z.array(z.string()).parse(JSON.parse(ids))
    }),
    /** Whether a request must sign `oauth_body_hash`. */
    bodyHashRequired: z.int().transform((flag) => flag === 1),
    /** The time zone of its reports, unless a request names one. Without it, the gateway's. */
    timezone: z.exactOptional(z.string()),
    createdAt: instant,
  })
  // The name is the `oauth_consumer_key` (specification, "Credentials").
  .transform(({ login: name, ...row }) => ({ name, ...row }))

/** A login may request reports, and operate where it is a merchant's. */
export type Login = Readonly<z.output<typeof loginRow>>

/** A login with its active keys, two at most for each method. */
export interface LoginWithKeys extends Login {
  readonly keys: readonly StoredKey[]
}

const keyRow = z
  .object({
    keyId: z.string(),
    login: z.string(),
    method: z.enum(['RSA-SHA256', 'HMAC-SHA1']),
    /** `SHA256:` and the base64 of a SHA-256: of the control key's text, or of the public key (SPKI, DER). */
    fingerprint: z.string(),
    createdAt: instant,
    revokedAt: z.exactOptional(instant),
    lastUsedAt: z.exactOptional(instant),
    pem: z.exactOptional(z.string()),
    ...sealedSecret.partial().shape,
  })
  .transform(({ pem, masterKeyVersion, iv, ciphertext, tag, ...key }) => ({
    ...key,
    material:
      pem === undefined
        ? {
            kind: 'control-key' as const,
            sealed: sealedSecret.parse({ masterKeyVersion, iv, ciphertext, tag }),
          }
        : { kind: 'public-key' as const, pem },
  }))

/** A key of a login. */
export type StoredKey = Readonly<z.output<typeof keyRow>>

const KEYS_IN_ORDER = sql`ORDER BY created_at, number`

export class LoginStore extends StorePart {
  /** Refuses a name that is taken, and a login that sees nothing. */
  async addLogin(login: Login): Promise<void> {
    requireView(login)
    const { name, role, sees, timezone = null, createdAt } = login
    const values = [name, role, JSON.stringify(sees), Number(login.bodyHashRequired), timezone]
    await this.database.transaction('credentials', async (queries) => {
      const added = await queries.run(sql`
        INSERT INTO logins (login, role, sees, body_hash_required, timezone, created_at)
        VALUES (${values}, ${createdAt.getTime()}) ON CONFLICT DO NOTHING`)
      if (added === 0) {
        throw refusal(
          `The login ${name} already exists, or was removed: its name is not used again`,
        )
      }
    })
  }

  /** Changes what a login is and sees. Refuses an unknown login, and one that would see nothing. */
  async changeLogin(login: Omit<Login, 'createdAt'>): Promise<void> {
    requireView(login)
    const { name, role, sees, bodyHashRequired, timezone = null } = login
    await this.database.transaction('credentials', async (queries) => {
      const changed = await queries.run(sql`
        UPDATE logins SET role = ${role}, sees = ${JSON.stringify(sees)},
          body_hash_required = ${Number(bodyHashRequired)}, timezone = ${timezone}
        WHERE login = ${name} AND removed_at IS NULL`)
      if (changed === 0) throw unknownLogin(name)
    })
  }

  /**
   * Removes a login for good: revokes its keys, and ends its view sessions and links. Its name is never used again,
   * because records of runs and client order ids keep it. Refuses an unknown login.
   */
  async removeLogin(name: string, removedAt: Date): Promise<void> {
    const at = removedAt.getTime()
    await this.database.transaction('credentials', async (queries) => {
      await requireLogin(queries, name)
      await queries.run(sql`UPDATE logins SET removed_at = ${at} WHERE login = ${name}`)
      await queries.run(sql`
        UPDATE keys SET revoked_at = ${at} WHERE login = ${name} AND revoked_at IS NULL`)
      await endSessionsWithoutKey(queries, name)
    })
  }

  /** By name. */
  async listLogins(): Promise<readonly Login[]> {
    const all = sql`SELECT * FROM logins WHERE removed_at IS NULL ORDER BY login`
    return await this.database.all(loginRow, all)
  }

  async findLogin(name: string): Promise<LoginWithKeys | undefined> {
    const login = await selectLogin(this.database, name)
    return login && { ...login, keys: await selectActiveKeys(this.database, name) }
  }

  /** Refuses an unknown login, a third active key of a method, and a fingerprint that was ever added before, to anyone. */
  async addKey(key: StoredKey): Promise<void> {
    const { keyId, login, method, fingerprint, createdAt, material } = key
    const { masterKeyVersion, iv, ciphertext, tag } =
      material.kind === 'control-key' ? material.sealed : NOT_SEALED
    const pem = material.kind === 'public-key' ? material.pem : null
    await this.database.transaction('credentials', async (queries) => {
      await requireLogin(queries, login)
      const same = sql`SELECT * FROM keys WHERE fingerprint = ${fingerprint}`
      refuseKnownKey(await queries.first(keyRow, same))
      requireRoom(key, await selectActiveKeys(queries, login))
      await queries.run(sql`
        INSERT INTO keys (
          key_id, login, method, fingerprint, created_at, pem, master_key_version, iv, ciphertext, tag
        ) VALUES (
          ${[keyId, login, method, fingerprint, createdAt.getTime(), pem]},
          ${[masterKeyVersion, iv, ciphertext, tag]}
        )`)
    })
  }

  /** Of one login or of all, revoked ones too; the oldest first. Refuses an unknown login. */
  async listKeys(login?: string): Promise<readonly StoredKey[]> {
    if (login !== undefined) await requireLogin(this.database, login)
    const which = login === undefined ? sql`` : sql`WHERE login = ${login}`
    const all = sql`SELECT * FROM keys LEFT JOIN key_uses USING (key_id) ${which} ${KEYS_IN_ORDER}`
    return await this.database.all(keyRow, all)
  }

  /** Notes that a key has signed an accepted request. Only `listKeys` tells. */
  async noteKeyUse(keyId: string, usedAt: Date): Promise<void> {
    await this.database.run(sql`
      INSERT INTO key_uses (key_id, last_used_at) VALUES (${keyId}, ${usedAt.getTime()})
      ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at
      WHERE key_uses.last_used_at < excluded.last_used_at`)
  }

  /**
   * For good. Refuses an unknown key, and one that is revoked already. A login that loses its last active key loses its
   * view sessions and links too.
   */
  async revokeKey(keyId: string, revokedAt: Date): Promise<StoredKey> {
    return await this.database.transaction('credentials', async (queries) => {
      const key = await queries.first(keyRow, sql`SELECT * FROM keys WHERE key_id = ${keyId}`)
      if (!key) throw refusal(`There is no key ${keyId}. "keys list" shows all`)
      if (key.revokedAt) {
        throw refusal(`The key ${keyId} was already revoked at ${key.revokedAt.toISOString()}`)
      }
      await queries.run(sql`
        UPDATE keys SET revoked_at = ${revokedAt.getTime()} WHERE key_id = ${keyId}`)
      await endSessionsWithoutKey(queries, key.login)
      return { ...key, revokedAt }
    })
  }
}

const NOT_SEALED = { masterKeyVersion: null, iv: null, ciphertext: null, tag: null }

export async function requireLogin(queries: Queries, login: string): Promise<void> {
  if (!(await selectLogin(queries, login))) throw unknownLogin(login)
}

async function selectLogin(queries: Queries, name: string): Promise<Login | undefined> {
  const one = sql`SELECT * FROM logins WHERE login = ${name} AND removed_at IS NULL`
  return await queries.first(loginRow, one)
}

async function selectActiveKeys(queries: Queries, login: string): Promise<readonly StoredKey[]> {
  const active = sql`SELECT * FROM keys WHERE login = ${login} AND revoked_at IS NULL`
  return await queries.all(keyRow, sql`${active} ${KEYS_IN_ORDER}`)
}

async function endSessionsWithoutKey(queries: Queries, login: string): Promise<void> {
  await queries.run(sql`
    DELETE FROM view_sessions WHERE login = ${login}
    AND NOT EXISTS (SELECT 1 FROM keys WHERE login = ${login} AND revoked_at IS NULL)`)
}

/** Throws if a login sees nothing: an empty list must not come to mean everything. */
function requireView({ name, role, sees }: Pick<Login, 'name' | 'role' | 'sees'>): void {
  if (role !== 'operator' && sees.length === 0) throw refusal(`expected ids that ${name} sees`)
}

function unknownLogin(login: string): GatewayError {
  return refusal(`There is no login ${login}. "logins list" shows all`)
}

function refuseKnownKey(known: StoredKey | undefined): void {
  if (!known) return
  const { fingerprint, keyId, login, revokedAt } = known
  if (revokedAt !== undefined) {
    const state = 'was revoked. The gateway never accepts it again'
    throw refusal(`The key ${fingerprint} (${keyId} of ${login}) ${state}`)
  }
  throw refusal(`The key ${fingerprint} already exists (${keyId} of ${login})`)
}

function requireRoom({ login, method }: StoredKey, activeKeys: readonly StoredKey[]): void {
  const same = activeKeys.filter((key) => key.method === method)
  if (same.length < LIMITS.activeKeysMax) return
  const advice = `Revoke ${same.map(({ keyId }) => keyId).join(' or ')} first`
  throw refusal(`${login} has ${same.length} active keys for ${method}, the maximum. ${advice}`)
}

/** Makes the error for a change of logins, keys or view sessions that the store refuses. */
export function refusal(message: string): GatewayError {
  return new GatewayError('credentials', message)
}
