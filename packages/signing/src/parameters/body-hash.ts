import { runtime } from '#crypto'
import { decodeBase64 } from '../keys/base64.ts'
import type { Hash } from '../crypto/runtime.ts'
import { type Fault, makeFault } from '../refusals/refusals.ts'

/** The hash functions for `oauth_body_hash`. */
export type BodyHash = Hash

const HASH_BY_BYTES: ReadonlyMap<number, BodyHash> = new Map([
  [20, 'SHA-1'],
  [32, 'SHA-256'],
])

const HEX = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

/**
 * Computes the value of `oauth_body_hash`: the base64 of the hash of the raw body (OAuth Request Body Hash 1.0, 3.2).
 *
 * @param body The bytes as they are sent. A string is encoded as UTF-8.
 * @example
 * await bodyHash('SHA-256', '{"reportIdentifier":"transactions-list"}')
 * // '4SAvt2GXyE8pCLT4y2ar1Qivaxk2q8AIrlCWlvvIaTs='
 */
export async function bodyHash(hash: BodyHash, body: Uint8Array | string): Promise<string> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return runtime.encodeBase64(await runtime.hash(hash, bytes))
}

/** Compares in constant time. The length of the value selects SHA-1 or SHA-256. */
export async function bodyHashFault(value: string, body: Uint8Array): Promise<Fault | undefined> {
  const signed = decodeBase64(value)
  const hash = HASH_BY_BYTES.get(signed?.length ?? 0)
  const expected = 'oauth_body_hash to be the base64 of the SHA-1 or SHA-256'
  if (!signed || !hash || HEX.test(value)) {
    const got = signed ? `${signed.length} bytes` : `${value.length} other characters`
    return makeFault(
      'body-hash-malformed',
      `${expected} of the body`,
      HEX.test(value) ? 'hex' : got,
    )
  }
  if (runtime.equalInConstantTime(await runtime.hash(hash, body), signed)) return undefined
  const received = `${expected} of the ${body.length} bytes that were received`
  return makeFault('body-hash-mismatch', received, 'the hash of other bytes')
}
