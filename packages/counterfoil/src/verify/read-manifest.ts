import { isRun, type Run } from '@counterfoil/client'
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose'
import { UsageError } from '../usage-error.ts'

/** A manifest, and how it is known to be the gateway's. */
export interface KnownManifest {
  readonly run: Run
  /** The id of the key that signed the manifest. Undefined if the manifest is not signed. */
  readonly keyId: string | undefined
}

/** The signature of a manifest is not the gateway's. */
export class ForeignManifest extends Error {
  override readonly name = 'ForeignManifest'
}

/**
 * Reads a saved manifest: JSON, or a JWS.
 *
 * @param readKeys returns the gateway's public keys; only a JWS needs them
 * @throws {UsageError} if the text is no manifest
 * @throws {ForeignManifest} if none of the keys signed the JWS
 */
export async function readManifest(
  text: string,
  readKeys: () => Promise<JSONWebKeySet>,
): Promise<KnownManifest> {
  const trimmed = text.trim()
  if (trimmed.startsWith('{')) return { run: parseRun(trimmed), keyId: undefined }
  if (trimmed.split('.').length !== 3) throw notManifest()
  const keys = createLocalJWKSet(await readKeys())
  try {
    const { payload, protectedHeader } = await compactVerify(trimmed, keys, {
      algorithms: ['EdDSA', 'Ed25519'],
    })
    return { run: parseRun(new TextDecoder().decode(payload)), keyId: protectedHeader.kid ?? '' }
  } catch (cause) {
    if (cause instanceof errors.JWKSNoMatchingKey) {
      throw new ForeignManifest('the keys do not include the one that signed the manifest', {
        cause,
      })
    }
    if (!(cause instanceof errors.JOSEError)) throw cause
    throw new ForeignManifest(`the signature of the manifest is not valid: ${cause.message}`, {
      cause,
    })
  }
}

/**
 * Reads a set of public keys.
 *
 * @param source names the keys in errors
 */
export function parseKeys(text: string, source: string): JSONWebKeySet {
  const value = parseJson(text)
  if (isObject(value) && Array.isArray(value['keys']) && value['keys'].every(isKey)) {
    return { keys: value['keys'] }
  }
  throw new UsageError(`${source}: expected a JSON Web Key Set, {"keys": [...]}`)
}

function parseRun(text: string): Run {
  const value = parseJson(text)
  if (!isRun(value)) throw notManifest()
  return value
}

function notManifest(): UsageError {
  return new UsageError('--manifest: expected the JSON or the JWS that counterfoil manifest prints')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isKey(value: unknown): value is JSONWebKeySet['keys'][number] {
  return isObject(value) && typeof value['kty'] === 'string'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
