import { runtime } from '#crypto'
import { decodeBase64, encodeBase64 } from './base64.ts'
import type { Hash } from './crypto/runtime.ts'

/** The hashes that `oauth_body_hash` may be made with. */
export type BodyHash = Hash

const HASH_BY_BYTES: ReadonlyMap<number, BodyHash> = new Map([
  [20, 'SHA-1'],
  [32, 'SHA-256'],
])

/**
 * The value of `oauth_body_hash`: the base64 of the hash of the raw body (OAuth Request Body Hash
 * 1.0, 3.2).
 */
export async function bodyHash(hash: BodyHash, body: Uint8Array | string): Promise<string> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return encodeBase64(await runtime.hash(hash, bytes))
}

/**
 * Whether a value of `oauth_body_hash`, of SHA-1 or SHA-256 by its length, is that of the body; in
 * constant time.
 */
export async function matchesBody(value: string, body: Uint8Array): Promise<boolean> {
  const given = decodeBase64(value)
  const hash = HASH_BY_BYTES.get(given?.length ?? 0)
  if (!given || !hash) return false
  return runtime.equalInConstantTime(await runtime.hash(hash, body), given)
}
