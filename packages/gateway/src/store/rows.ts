import * as z from 'zod'
import type { Login, StoredKey } from './store.ts'
import { ROLES } from './store.ts'

const instant = z.int().transform((ms) => new Date(ms))
const bytes = z.instanceof(Uint8Array)

const loginRow = z
  .object({
    login: z.string(),
    role: z.enum(ROLES),
    sees: z.string(),
    body_hash_required: z.int(),
    timezone: z.string().nullable(),
    created_at: instant,
  })
  .transform(
    (row): Login => ({
      name: row.login,
      role: row.role,
      sees: z.array(z.int()).parse(JSON.parse(row.sees)),
      bodyHashRequired: row.body_hash_required === 1,
      ...(row.timezone !== null && { timezone: row.timezone }),
      createdAt: row.created_at,
    }),
  )

const keyColumns = z.object({
  key_id: z.string(),
  login: z.string(),
  fingerprint: z.string(),
  created_at: instant,
  revoked_at: instant.nullable(),
  last_used_at: instant.nullish(),
})

const keyRow = z
  .discriminatedUnion('method', [
    keyColumns.extend({ method: z.literal('RSA-SHA256'), pem: z.string() }),
    keyColumns.extend({
      method: z.literal('HMAC-SHA1'),
      master_key_version: z.int(),
      iv: bytes,
      ciphertext: bytes,
      tag: bytes,
    }),
  ])
  .transform(
    (row): StoredKey => ({
      keyId: row.key_id,
      login: row.login,
      method: row.method,
      fingerprint: row.fingerprint,
      createdAt: row.created_at,
      ...(row.revoked_at && { revokedAt: row.revoked_at }),
      ...(row.last_used_at && { lastUsedAt: row.last_used_at }),
      material:
        row.method === 'RSA-SHA256'
          ? { kind: 'public-key', pem: row.pem }
          : {
              kind: 'control-key',
              sealed: {
                masterKeyVersion: row.master_key_version,
                iv: row.iv,
                ciphertext: row.ciphertext,
                tag: row.tag,
              },
            },
    }),
  )

/** A value as the database takes it. */
type Column = string | number | Uint8Array | null

/** A login as a row of the database. */
export function loginColumns(login: Login): Record<string, Column> {
  return {
    login: login.name,
    role: login.role,
    sees: JSON.stringify(login.sees),
    body_hash_required: login.bodyHashRequired ? 1 : 0,
    timezone: login.timezone ?? null,
    created_at: login.createdAt.getTime(),
  }
}

/** A login from a row of the database; throws for a row that no version of this program wrote. */
export function readLogin(row: unknown): Login {
  return loginRow.parse(row)
}

/** A key as a row of the database. */
export function keyColumnsOf(key: StoredKey): Record<string, Column> {
  const sealed = key.material.kind === 'control-key' ? key.material.sealed : undefined
  return {
    key_id: key.keyId,
    login: key.login,
    method: key.method,
    fingerprint: key.fingerprint,
    created_at: key.createdAt.getTime(),
    revoked_at: key.revokedAt?.getTime() ?? null,
    pem: key.material.kind === 'public-key' ? key.material.pem : null,
    master_key_version: sealed?.masterKeyVersion ?? null,
    iv: sealed?.iv ?? null,
    ciphertext: sealed?.ciphertext ?? null,
    tag: sealed?.tag ?? null,
  }
}

/** A key from a row of the database; throws for a row that no version of this program wrote. */
export function readKey(row: unknown): StoredKey {
  return keyRow.parse(row)
}
