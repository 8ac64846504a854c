import { signerOf, type SigningKey, type VerificationKey } from '../keys/keys.ts'
import { DIAGNOSED_BYTES_MAX, DIAGNOSED_PARAMETERS_MAX } from '../refusals/limits.ts'
import type { Refused, RequestToVerify, Verification } from '../verify/verifier.ts'
import { verify } from '../verify/verify.ts'
import {
  type RefusalCode,
  requireRecord,
  requireText,
  wrongArgument,
} from '../refusals/signing-error.ts'
import { type Difference, firstDifference } from './difference.ts'
import { type Mistake, type MistakeCode, mistakeOf } from './mistakes.ts'
import { type Received, splitReceived } from './recipe.ts'
import { findMistake } from './find-mistake.ts'
import { decodeBase64 } from '../keys/base64.ts'
import { parseAuthorization } from '../parameters/header.ts'
import type { Parameter } from '../parameters/encode.ts'

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
   * - `too-large`: the request is larger than 8 KiB or has more than 100 parameters
   */
  readonly outcome: 'correct' | 'mistake' | 'unknown' | 'too-large'
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
 * Names the mistake in a request that was refused. It builds the base strings of up to 800 mistakes and compares the
 * signature with each. A request that is right is never diagnosed: `outcome` is `correct`.
 *
 * @throws {SigningError} `options` or `key` for an argument of the wrong type. Nothing in the request makes it throw.
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
  requireRecord(options, 'options as an object: { keys }')
  if (options.baseString !== undefined) requireText(options.baseString, 'baseString')
  if (!Array.isArray(options.keys)) throw wrongArgument('keys as an array', options.keys)
  const keys = options.keys.map(verificationKey)
  const verification = options.refused ?? (await verifyApart(request, keys, options))
  const { baseString } = verification
  const known: Omit<Diagnosis, 'outcome'> = {
    ...(!verification.ok && { refused: verification }),
    ...(baseString !== undefined && { baseString, ...compare(baseString, options.baseString) }),
  }
  if (verification.ok) return { outcome: 'correct', ...known }
  // Only a caller who passes no refusal leaves the keys out. A verifier that refused the login knows that it has none.
  const hasNoKeys = keys.length === 0 && !options.refused
  if (
    verification.code !== 'signature-mismatch' &&
    !(hasNoKeys && verification.code === 'consumer-key-missing')
  ) {
    const code = refusalMistake(verification.code, request, options.receivedAtSeconds)
    return { outcome: 'mistake', ...known, mistake: mistakeOf(code) }
  }
  if (baseString === undefined) return { outcome: 'unknown', ...known }
  const received = splitReceived(request, options.host)
  if (isTooLarge(request, received, baseString, options)) return { outcome: 'too-large', ...known }
  const { baseString: claimed, pause } = options
  const found = await findMistake({ received, keys, baseString, claimed, pause })
  if (!found) return { outcome: 'unknown', ...known }
  return {
    outcome: 'mistake',
    ...known,
    ...compare(baseString, found.baseString ?? claimed),
    mistake: mistakeOf(found.code),
    ...(found.secondCode && { secondMistake: mistakeOf(found.secondCode) }),
  }
}

function verificationKey(key: VerificationKey | SigningKey): VerificationKey {
  return key?.kind === 'private' ? signerOf(key).half : key
}

/** Verifies a request apart from the gateway: any login has the keys, and every nonce is new. */
async function verifyApart(
  request: RequestToVerify,
  keys: readonly VerificationKey[],
  { receivedAtSeconds }: DiagnosisOptions,
): Promise<Verification> {
  return await verify(request, {
    findConsumer: () => ({ keys }),
    spendNonce: () => 'spent',
    ...(receivedAtSeconds === undefined
      ? { timestampToleranceSeconds: Number.MAX_SAFE_INTEGER }
      : { nowSeconds: () => receivedAtSeconds }),
  })
}

function compare(baseString: string, signedBaseString: string | undefined) {
  if (signedBaseString === undefined) return {}
  const difference = firstDifference(baseString, signedBaseString)
  return { signedBaseString, ...(difference && { difference }) }
}

function isTooLarge(
  { body }: RequestToVerify,
  { header, query, form }: Received,
  baseString: string,
  options: DiagnosisOptions,
): boolean {
  const lengths = [body.length, baseString.length, options.baseString?.length ?? 0]
  const parameters = header.length + query.length + form.length
  return Math.max(...lengths) > DIAGNOSED_BYTES_MAX || parameters > DIAGNOSED_PARAMETERS_MAX
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
    return parametersOf(authorization).find(([name]) => name === wanted)?.[1] ?? ''
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

function parametersOf(authorization: RequestToVerify['authorization']): readonly Parameter[] {
  try {
    return parseAuthorization([authorization ?? ''].flat()[0] ?? '').parameters
  } catch {
    return []
  }
}
