import { decodeBase64 } from '../keys/base64.ts'
import { signerOf, type SigningKey, type VerificationKey } from '../keys/keys.ts'
import { parseAuthorization } from '../parameters/header.ts'
import { DIAGNOSED_BYTES_MAX } from '../refusals/limits.ts'
import type { RefusalCode } from '../refusals/refusals.ts'
import type { Refused, RequestToVerify } from '../verify/verifier.ts'
import { verify } from '../verify/verify.ts'
import { type Difference, firstDifference } from './difference.ts'
import { findMistake } from './find-mistake.ts'
import { type Mistake, type MistakeCode, mistakeOf } from './mistakes.ts'
import { splitReceived } from './recipe.ts'

/** What is known about a request that {@link diagnose} examines. */
export interface DiagnosisOptions {
  /**
   * The keys of the login that the request names: those that verify, or those that sign, if the request is your own.
   * Without keys, `diagnose` compares your base string only.
   */
  readonly keys: readonly (VerificationKey | SigningKey)[]
  /** The base string that the caller signed, if it is known. */
  readonly baseString?: string
  /** The refusal that `verify` returned. Without it, `diagnose` verifies the request, all but its nonce. */
  readonly refused?: Refused
  /** When the request arrived, in seconds since 1970. Without it, any timestamp is accepted. */
  readonly receivedAtSeconds?: number
  /** The host of the URL to which the caller sent the request, if it may differ from that of `url`. */
  readonly host?: string
  /** Called from time to time, so that a server can answer other requests in between. */
  readonly pause?: () => Promise<void>
}

/** The result of {@link diagnose}. */
export interface Diagnosis {
  /**
   * - `correct`: the signature is right
   * - `mistake`: `mistake` says what is wrong
   * - `unknown`: no mistake that `diagnose` knows leads to this signature
   * - `no-key`: the base string is right, and only a key can tell whether the signature is right too
   * - `too-large`: the body or a base string is larger than 8 KiB
   */
  readonly outcome: 'correct' | 'mistake' | 'unknown' | 'no-key' | 'too-large'
  readonly mistake?: Mistake
  /** A second mistake in the same signature. */
  readonly secondMistake?: Mistake
  /** The step that failed, and why. */
  readonly refused?: Refused
  /** The base string that the gateway builds. It may hold card numbers: mask them before you show it. */
  readonly baseString?: string
  /** The base string that the caller signed: the one you passed, or that of the mistake. */
  readonly signedBaseString?: string
  /** Where the two differ first. */
  readonly difference?: Difference
}

/**
 * Names the mistake in a request that was refused. It builds the base strings of hundreds of mistakes and compares the
 * signature with each. A request that is right is never diagnosed: `outcome` is `correct`.
 *
 * @throws {SigningError} `key` for a key that was not imported. Nothing in the request makes it throw.
 * @example
 * const key = await importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
 * const url = 'https://gate.example.com/a'
 * const signed = await sign({ method: 'POST', url: 'http://gate.example.com/a' }, { consumerKey: 'merchant-login', key })
 * const request = { method: 'POST', url, authorization: signed.authorization, body: new Uint8Array() }
 * const { mistake } = await diagnose(request, { keys: [key] })
 * mistake?.code // 'url-scheme'
 */
export async function diagnose(
  request: RequestToVerify,
  options: DiagnosisOptions,
): Promise<Diagnosis> {
  const { receivedAtSeconds, baseString: claimed, pause } = options
  const keys = options.keys.map((key) => (key.kind === 'private' ? signerOf(key).half : key))
  // Without the gateway's refusal, any login has the keys, and every nonce is new.
  const verification =
    options.refused ??
    (await verify(request, {
      findConsumer: () => ({ keys }),
      spendNonce: () => 'spent',
      ...(receivedAtSeconds === undefined
        ? { timestampToleranceSeconds: Number.MAX_SAFE_INTEGER }
        : { nowSeconds: () => receivedAtSeconds }),
    }))
  const { baseString } = verification
  const known: Omit<Diagnosis, 'outcome'> = {
    ...(!verification.ok && { refused: verification }),
    ...(baseString !== undefined && { baseString, ...compare(baseString, claimed) }),
  }
  if (verification.ok) return { outcome: 'correct', ...known }
  // Only a caller who passes no refusal leaves the keys out. A verifier that refused the login knows that it has none.
  const hasNoKeys = keys.length === 0 && !options.refused
  if (
    verification.code !== 'signature-mismatch' &&
    !(hasNoKeys && verification.code === 'consumer-key-missing')
  ) {
    const code = refusalMistake(verification.code, request, receivedAtSeconds)
    return { outcome: 'mistake', ...known, mistake: mistakeOf(code) }
  }
  if (baseString === undefined) return { outcome: 'unknown', ...known }
  const largest = Math.max(request.body.length, baseString.length, claimed?.length ?? 0)
  if (largest > DIAGNOSED_BYTES_MAX) return { outcome: 'too-large', ...known }
  const received = splitReceived(request, options.host)
  const found = await findMistake({ received, keys, baseString, claimed, pause })
  if (!found) return { outcome: 'unknown', ...known }
  if (hasNoKeys && found.code === 'key-other') {
    return { outcome: 'no-key', baseString, signedBaseString: baseString }
  }
  return {
    outcome: 'mistake',
    ...known,
    ...compare(baseString, found.baseString ?? claimed),
    mistake: mistakeOf(found.code),
    ...(found.secondCode && { secondMistake: mistakeOf(found.secondCode) }),
  }
}

function compare(baseString: string, signedBaseString: string | undefined) {
  if (signedBaseString === undefined) return {}
  const difference = firstDifference(baseString, signedBaseString)
  return { signedBaseString, ...(difference && { difference }) }
}

/** The lengths of HMACs with other hash functions: MD5, SHA-224, SHA-256, SHA-384 and SHA-512. */
const OTHER_HASH_BYTES = [16, 28, 32, 48, 64]
const SHA1_BYTES = 20
const RSA_BYTES_MIN = 128
const HALF_HOUR = 1800
const ZONE_HOURS_MAX = 14
/** How far a clock may be from a whole half hour if it is wrong by its time zone only. */
const ZONE_TOLERANCE_SECONDS = 120

/** Names the mistake of a refusal: by the refusal's own code, or a more precise one. */
function refusalMistake(
  code: Exclude<RefusalCode, 'signature-mismatch'>,
  { authorization }: RequestToVerify,
  receivedAtSeconds: number | undefined,
): MistakeCode {
  const valueOf = (wanted: string) => {
    const { parameters } = parseAuthorization([authorization ?? ''].flat()[0] ?? '')
    return parameters.find(([name]) => name === wanted)?.[1] ?? ''
  }
  if (code === 'timestamp-range' && receivedAtSeconds !== undefined) {
    const ahead = Number(valueOf('oauth_timestamp')) - receivedAtSeconds
    return isZoneAway(ahead) ? 'timestamp-local-time' : code
  }
  if (code !== 'signature-base64' && code !== 'signature-length') return code
  return signatureMistake(valueOf('oauth_signature'), valueOf('oauth_signature_method')) ?? code
}

function signatureMistake(text: string, method: string): MistakeCode | undefined {
  if (/%(?:2B|2F|3D)/i.test(text)) return 'signature-encoded-twice'
  if (/^(?:[\da-f]{2}){16,}$/i.test(text)) return 'signature-hex'
  const bytes = decodeBase64(text)
  if (!bytes) return /^[\w-]+={0,2}$/.test(text) ? 'signature-base64url' : undefined
  if (/^(?:[\da-f]{2}){16,}$/i.test(String.fromCharCode(...bytes))) return 'signature-hex'
  if (method !== 'HMAC-SHA1') return bytes.length === SHA1_BYTES ? 'method-not-used' : undefined
  if (OTHER_HASH_BYTES.includes(bytes.length)) return 'hmac-other-hash'
  return bytes.length >= RSA_BYTES_MIN ? 'method-not-used' : undefined
}

/** Whether a difference of clocks is one of time zones: whole half hours, up to 14 hours. */
function isZoneAway(seconds: number): boolean {
  const halfHours = Math.round(seconds / HALF_HOUR)
  const rest = Math.abs(seconds - halfHours * HALF_HOUR)
  return (
    halfHours !== 0 && Math.abs(halfHours) <= ZONE_HOURS_MAX * 2 && rest <= ZONE_TOLERANCE_SECONDS
  )
}
