import { signerOf, type SigningKey, type VerificationKey } from '../keys/keys.ts'
import { DIAGNOSED_BYTES_MAX, DIAGNOSED_PARAMETERS_MAX } from '../refusals/limits.ts'
import type { Refused, RequestToVerify, Verification } from '../verify/verifier.ts'
import { verify } from '../verify/verify.ts'
import { requireRecord, requireText, wrongArgument } from '../refusals/wrong-argument.ts'
import { type Difference, firstDifference } from './difference.ts'
import { findMistake } from './find-mistake.ts'
import { type Mistake, mistakeOf } from './mistakes.ts'
import { type Received, splitReceived } from './received.ts'
import { refusalMistake } from './refusal-mistake.ts'

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
