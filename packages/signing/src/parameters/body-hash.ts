import { runtime } from '#crypto'
import { decodeBase64, encodeBase64 } from '../keys/base64.ts'
import type { Hash } from '../crypto/runtime.ts'
import { wrongArgument } from '../refusals/signing-error.ts'

/** The hash functions for `oauth_body_hash`. */
export type BodyHash = Hash

const HASH_BY_BYTES: ReadonlyMap<number, BodyHash> = new Map([
  [20, 'SHA-1'],
  [32, 'SHA-256'],
])

const SHA_512_BYTES = 64
const HEX = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i

/**
 * Computes the value of `oauth_body_hash`: the base64 of the hash of the raw body (OAuth Request Body Hash 1.0, 3.2).
 *
 * @param body The bytes as they are sent. A string is encoded as UTF-8.
 * @throws {SigningError} `options` for another hash function, or a body that is neither a string nor bytes.
 * @example
 * await bodyHash('SHA-256', '{"reportIdentifier":"transactions-list"}')
 * // '4SAvt2GXyE8pCLT4y2ar1Qivaxk2q8AIrlCWlvvIaTs='
 */
export async function bodyHash(hash: BodyHash, body: Uint8Array | string): Promise<string> {
  if (hash !== 'SHA-1' && hash !== 'SHA-256') {
    throw wrongArgument('bodyHash to be "SHA-1" or "SHA-256"', hash)
  }
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw wrongArgument('body as a string or a Uint8Array', body)
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return encodeBase64(await runtime.hash(hash, bytes))
}

/**
 * Compares a value of `oauth_body_hash` with the body in constant time. The length of the value selects SHA-1 or
 * SHA-256.
 */
export async function matchesBody(value: string, body: Uint8Array): Promise<boolean> {
  const signed = decodeBase64(value)
  const hash = HASH_BY_BYTES.get(signed?.length ?? 0)
  if (!signed || !hash) return false
  return runtime.equalInConstantTime(await runtime.hash(hash, body), signed)
}

/** Describes what is malformed in a value of `oauth_body_hash`. Returns undefined for a well-formed value. */
export function malformedBodyHash(value: string): string | undefined {
  if (HEX.test(value)) return 'hex'
  const bytes = decodeBase64(value)?.length
  if (bytes === undefined) return `${value.length} characters that are not canonical base64`
  if (bytes === SHA_512_BYTES) return '64 bytes (SHA-512)'
  return HASH_BY_BYTES.has(bytes) ? undefined : `${bytes} bytes`
}
