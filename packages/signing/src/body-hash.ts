import { runtime } from '#crypto'
import { decodeBase64, encodeBase64 } from './base64.ts'
import type { Hash } from './crypto/runtime.ts'
import { wrongArgument } from './wrong-argument.ts'

/** The hashes that `oauth_body_hash` may be made with. */
export type BodyHash = Hash

const HASH_BY_BYTES: ReadonlyMap<number, BodyHash> = new Map([
  [20, 'SHA-1'],
  [32, 'SHA-256'],
])

const SHA_512_BYTES = 64
const HEX = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i

/** SHA-1 and SHA-256 of no bytes. */
const EMPTY_HASHES = [
  '2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
  '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
]

/**
 * The value of `oauth_body_hash`: the base64 of the hash of the raw body (OAuth Request Body Hash
 * 1.0, 3.2).
 *
 * @throws `options` for another hash, or a body that is neither text nor bytes.
 * @example await bodyHash('SHA-256', '{"reportIdentifier":"transactions-list"}')
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
 * Whether a value of `oauth_body_hash`, of SHA-1 or SHA-256 by its length, is that of the body; in
 * constant time.
 */
export async function matchesBody(value: string, body: Uint8Array): Promise<boolean> {
  const given = decodeBase64(value)
  const hash = HASH_BY_BYTES.get(given?.length ?? 0)
  if (!given || !hash) return false
  return runtime.equalInConstantTime(await runtime.hash(hash, body), given)
}

/** What is wrong with the form of a value of `oauth_body_hash`; undefined where only its bytes can be. */
export function malformedBodyHash(value: string): string | undefined {
  if (HEX.test(value)) return 'hex'
  const bytes = decodeBase64(value)?.length
  if (bytes === undefined) return `${value.length} characters that are not canonical base64`
  if (bytes === SHA_512_BYTES) return '64 bytes (SHA-512)'
  return HASH_BY_BYTES.has(bytes) ? undefined : `${bytes} bytes`
}

/** What a hash that does not match is of, where that is known. */
export function knownBodyHash(value: string): string {
  return EMPTY_HASHES.includes(value) ? 'the hash of an empty body' : 'the hash of other bytes'
}
