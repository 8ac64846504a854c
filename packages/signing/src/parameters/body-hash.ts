import { runtime } from '#crypto'
import { decodeBase64, encodeBase64 } from '../keys/base64.ts'
import type { Hash } from '../crypto/runtime.ts'
import { HASHED_HINT_BYTES_MAX } from '../refusals/limits.ts'
import { wrongArgument } from '../refusals/wrong-argument.ts'

/** The hash functions for `oauth_body_hash`. */
export type BodyHash = Hash

const HASH_BY_BYTES: ReadonlyMap<number, BodyHash> = new Map([
  [20, 'SHA-1'],
  [32, 'SHA-256'],
])

const SHA_512_BYTES = 64
const HEX = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i

const [CR, LF] = [0x0d, 0x0a]
const UTF8 = new TextEncoder()
const LENIENT_UTF8 = new TextDecoder('utf-8')

/** What clients hash by mistake instead of the body they send. Errors use the name. */
const MISTAKES: readonly (readonly [
  name: string,
  make: (body: Uint8Array) => Uint8Array | undefined,
])[] = [
  ['an empty body', () => new Uint8Array()],
  ['the body without the line end at its end', withoutLineEnd],
  ['the body with a line end after it', withLineEnd],
  ['the JSON written without spaces', compactJson],
]

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

/**
 * Names what a wrong hash was computed from, if it is a common mistake. If the body has more than
 * `HASHED_HINT_BYTES_MAX` bytes, only the empty body is tried, which bounds the work.
 */
export async function nameHashed(value: string, body: Uint8Array): Promise<string> {
  const isSmall = body.length <= HASHED_HINT_BYTES_MAX
  for (const [name, make] of isSmall ? MISTAKES : MISTAKES.slice(0, 1)) {
    const bytes = make(body)
    if (bytes && (await matchesBody(value, bytes))) return `the hash of ${name}`
  }
  return 'the hash of other bytes'
}

function withoutLineEnd(body: Uint8Array): Uint8Array | undefined {
  if (body.at(-1) !== LF) return undefined
  return body.subarray(0, body.at(-2) === CR ? -2 : -1)
}

function withLineEnd(body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(body.length + 1)
  bytes.set(body)
  bytes[body.length] = LF
  return bytes
}

function compactJson(body: Uint8Array): Uint8Array | undefined {
  try {
    const compact = UTF8.encode(JSON.stringify(JSON.parse(LENIENT_UTF8.decode(body))))
    return compact.length === body.length ? undefined : compact
  } catch {
    return undefined
  }
}
