import { GatewayError, LIMITS } from '@counterfoil/common'
import type { Login, StoredKey } from './store.ts'

/** Throws if a login sees nothing: an empty list must not come to mean everything. */
export function requireView({ name, role, sees }: Pick<Login, 'name' | 'role' | 'sees'>): void {
  if (role !== 'operator' && sees.length === 0) throw refusal(`expected ids that ${name} sees`)
}

/** The error for a login whose name is taken. */
export function takenLogin(login: string): GatewayError {
  return refusal(`The login ${login} already exists, or was removed: its name is not used again`)
}

/** The error for a login that the store does not have. */
export function unknownLogin(login: string): GatewayError {
  return refusal(`There is no login ${login}. "logins list" shows all`)
}

/** The error for a login whose every key is revoked. */
export function disabledLogin(login: string): GatewayError {
  return refusal(`Every key of ${login} is revoked. Add a key to it, or use another login`)
}

/** The error for a key that the store does not have. */
export function unknownKey(keyId: string): GatewayError {
  return refusal(`There is no key ${keyId}. "keys list" shows all`)
}

/** Throws if the key was added before, to any login. */
export function refuseKnownKey(known: StoredKey | undefined): void {
  if (!known) return
  const { fingerprint, keyId, login, revokedAt } = known
  if (revokedAt !== undefined) {
    const state = 'was revoked. The gateway never accepts it again'
    throw refusal(`The key ${fingerprint} (${keyId} of ${login}) ${state}`)
  }
  throw refusal(`The key ${fingerprint} already exists (${keyId} of ${login})`)
}

/** Throws if the login of a key has the maximum of active keys of its method. */
export function requireRoom({ login, method }: StoredKey, activeKeys: readonly StoredKey[]): void {
  const same = activeKeys.filter((key) => key.method === method)
  if (same.length < LIMITS.activeKeysMax) return
  const advice = `Revoke ${same.map(({ keyId }) => keyId).join(' or ')} first`
  throw refusal(`${login} has ${same.length} active keys for ${method}, the maximum. ${advice}`)
}

/** Throws if the key is revoked. */
export function requireActive({ keyId, revokedAt }: StoredKey): void {
  if (!revokedAt) return
  throw refusal(`The key ${keyId} was already revoked at ${revokedAt.toISOString()}`)
}

function refusal(message: string): GatewayError {
  return new GatewayError('credentials', message)
}
