import { readQuery, signatureBaseString } from './base-string.ts'
import { matchesBody } from './body-hash.ts'
import { isForm, readForm } from './form.ts'
import { parseAuthorization } from './header.ts'
import type { VerificationKey } from './keys.ts'
import { LIVE_KEYS_MAX } from './limits.ts'
import { METHODS, type SignatureMethod } from './methods.ts'
import { encodeParameter, type Parameter } from './parameter.ts'
import { gatherParameters, sortAndJoin } from './parameters.ts'
import {
  isNonce,
  isTimestamp,
  NONCE_FORM,
  type ProtocolParameters,
  readProtocolParameters,
} from './protocol-parameters.ts'
import type { Token } from './sign.ts'
import { SigningError } from './signing-error.ts'

/** A request as it was received. */
export interface RequestToVerify {
  readonly method: string
  /**
   * Absolute, as the caller signed it: from the configured public address, never from a proxy's
   * header.
   */
  readonly url: string
  readonly authorization?: string | undefined
  readonly contentType?: string | undefined
  /** The raw bytes. */
  readonly body: Uint8Array
}

/** Whose signatures are accepted. */
export interface Consumer {
  /**
   * The live keys, of any method; two at most of each, or a failure takes longer than for an
   * unknown login.
   */
  readonly keys: readonly VerificationKey[]
  readonly bodyHashRequired?: boolean
  /** Without it a request that carries an `oauth_token` is refused. */
  readonly token?: Token
}

/** What `spendNonce` is asked to remember. */
export interface NonceUse {
  readonly consumerKey: string
  readonly timestampSeconds: number
  readonly nonce: string
}

/** `replayed`: this use was seen before. `expired`: so old that uses of its time are forgotten. */
export type NonceOutcome = 'spent' | 'replayed' | 'expired'

/** What verification needs to know and to remember. */
export interface Verifier {
  findConsumer(consumerKey: string): Promise<Consumer | undefined> | Consumer | undefined
  /** Called after a valid signature only; must be atomic. */
  spendNonce(use: NonceUse): Promise<NonceOutcome> | NonceOutcome
  nowSeconds(): number
  /** How far a timestamp may lie from now, either way; 300 where it is absent. */
  readonly timestampToleranceSeconds?: number
  /** The methods that are taken; all where it is absent. */
  readonly methods?: readonly SignatureMethod[]
}

/** The steps of verification, in their order. */
export type VerificationStep =
  | 'header'
  | 'parameters'
  | 'timestamp'
  | 'nonce'
  | 'consumer'
  | 'body-hash'
  | 'signature'

/** A request that is its consumer's own, with everything that led to that. */
export interface Verified {
  readonly ok: true
  readonly consumerKey: string
  readonly method: SignatureMethod
  /** The key that the signature was made with or for. */
  readonly key: VerificationKey
  readonly nonce: string
  readonly timestampSeconds: number
  readonly parameterString: string
  readonly baseString: string
}

/**
 * The step that failed, what was expected there, and the intermediates that were reached before.
 * Nothing in it is made with a key, but the strings hold the request's own values, card numbers
 * among them: mask before showing.
 */
export interface Refused {
  readonly ok: false
  readonly step: VerificationStep
  readonly reason: string
  readonly consumerKey?: string
  readonly parameterString?: string
  readonly baseString?: string
}

export type Verification = Verified | Refused

const TOLERANCE_SECONDS = 300

const SIGNATURE_EXPECTED =
  'expected the signature of this base string, made with the key that the login has here'

type Failure = Pick<Refused, 'ok' | 'step' | 'reason'>

/**
 * Verifies a request, step by step: header, parameters, timestamp, nonce, consumer, body-hash,
 * signature; at last the nonce is spent (RFC 5849, 3.2). Never throws for what a caller sends; what
 * the verifier throws goes through. An unknown login, one without a key of the method, and a wrong
 * signature all cost the same work.
 */
export async function verify(request: RequestToVerify, verifier: Verifier): Promise<Verification> {
  const header = attempt('header', () => readHeader(request.authorization))
  if ('step' in header) return header
  const { parameters, protocol } = header
  const { consumerKey, method, nonce, timestamp, signature } = protocol

  const untaken = methodFailure(method, verifier)
  if (untaken) return { ...untaken, consumerKey }
  const built = attempt('parameters', () => buildBaseString(request, parameters))
  if ('step' in built) return { ...built, consumerKey }
  const { parameterString, baseString } = built

  const refuse = (failure: Failure): Refused => {
    return { ...failure, consumerKey, parameterString, baseString }
  }
  const timestampSeconds = Number(timestamp)
  const untimely = timestampFailure(timestamp, verifier) ?? nonceFailure(nonce)
  if (untimely) return refuse(untimely)

  // From here to the end of the checks, the work must not tell an unknown login from a known one.
  const consumer = await verifier.findConsumer(consumerKey)
  const wrongBody = await bodyFailure(request, protocol.bodyHash, consumer)
  const failure = consumerFailure(consumer, method, protocol.token) ?? wrongBody
  const key = await findSigningKey(failure ? undefined : consumer, method, baseString, signature)
  if (failure) return refuse(failure)
  if (!key) return refuse(refused('signature', SIGNATURE_EXPECTED))

  const unspent = spendFailure(await verifier.spendNonce({ consumerKey, timestampSeconds, nonce }))
  if (unspent) return refuse(unspent)
  return { ok: true, consumerKey, method, key, nonce, timestampSeconds, ...built }
}

interface Header {
  readonly parameters: readonly Parameter[]
  readonly protocol: ProtocolParameters
}

function readHeader(authorization: string | undefined): Header {
  if (authorization === undefined) {
    throw new SigningError('header', 'expected an Authorization header of the scheme OAuth')
  }
  const { parameters } = parseAuthorization(authorization)
  return { parameters, protocol: readProtocolParameters(parameters) }
}

function buildBaseString(
  { method, url, contentType, body }: RequestToVerify,
  inHeader: readonly Parameter[],
): { readonly parameterString: string; readonly baseString: string } {
  // The base string has no place for a fragment, so that anything after a "#" would pass unsigned.
  if (url.includes('#')) throw new SigningError('url', 'expected a URL without "#"')
  const form = isForm(contentType) ? readForm(body) : []
  const header = inHeader.map(encodeParameter)
  const parameterString = sortAndJoin(gatherParameters(header, readQuery(url), form))
  return { parameterString, baseString: signatureBaseString({ method, url, parameterString }) }
}

function methodFailure(method: SignatureMethod, { methods }: Verifier): Failure | undefined {
  if (methods === undefined || methods.includes(method)) return undefined
  const expected = `expected oauth_signature_method to be ${methods.join(' or ')}`
  return refused('header', `${expected}, got ${method}`)
}

function timestampFailure(timestamp: string, verifier: Verifier): Failure | undefined {
  if (!isTimestamp(timestamp)) {
    return refused('timestamp', 'expected oauth_timestamp in whole seconds since 1970')
  }
  const tolerance = verifier.timestampToleranceSeconds ?? TOLERANCE_SECONDS
  const ahead = Number(timestamp) - verifier.nowSeconds()
  if (Math.abs(ahead) <= tolerance) return undefined
  const difference = `${Math.ceil(Math.abs(ahead))} s ${ahead > 0 ? 'ahead' : 'behind'}`
  const expected = `expected oauth_timestamp within ${tolerance} s of the gateway's clock`
  return refused('timestamp', `${expected}, got one that is ${difference}`)
}

function nonceFailure(nonce: string): Failure | undefined {
  if (isNonce(nonce)) return undefined
  return refused('nonce', `expected oauth_nonce to be ${NONCE_FORM}`)
}

function consumerFailure(
  consumer: Consumer | undefined,
  method: SignatureMethod,
  token: string | undefined,
): Failure | undefined {
  if (!consumer) return refused('consumer', 'expected oauth_consumer_key to be a known login')
  if (!consumer.keys.some((key) => key.method === method)) {
    return refused('consumer', `expected a login that has a live key for ${method}`)
  }
  if ((token ?? '') === (consumer.token?.token ?? '')) return undefined
  return refused(
    'consumer',
    consumer.token ? "expected the login's oauth_token" : 'expected no oauth_token',
  )
}

/** Hashes whoever is asking, so that the time does not depend on it. */
async function bodyFailure(
  { contentType, body }: RequestToVerify,
  bodyHash: string | undefined,
  consumer: Consumer | undefined,
): Promise<Failure | undefined> {
  const form = isForm(contentType)
  if (bodyHash === undefined) {
    if (form || !consumer?.bodyHashRequired) return undefined
    return refused('body-hash', 'expected oauth_body_hash: it is required of this login')
  }
  if (form)
    return refused('body-hash', 'expected no oauth_body_hash with a form, which is signed itself')
  if (await matchesBody(bodyHash, body)) return undefined
  const expected = 'expected oauth_body_hash to be the base64 of the SHA-1 or SHA-256'
  return refused('body-hash', `${expected} of the ${body.length} bytes that were received`)
}

/**
 * Finds the key that the signature is valid for; where there is none, always with the same work.
 */
async function findSigningKey(
  consumer: Consumer | undefined,
  method: SignatureMethod,
  baseString: string,
  signature: Uint8Array,
): Promise<VerificationKey | undefined> {
  const keys = consumer?.keys.filter((key) => key.method === method) ?? []
  for (let index = 0; index < Math.max(LIVE_KEYS_MAX, keys.length); index += 1) {
    const key = keys[index]
    const secret = consumer?.token?.secret
    if (await METHODS[method].verify(baseString, signature, key, secret)) return key
  }
  return undefined
}

function spendFailure(outcome: NonceOutcome): Failure | undefined {
  if (outcome === 'spent') return undefined
  if (outcome === 'replayed') {
    return refused('nonce', 'expected oauth_nonce to be new: this one was used with this timestamp')
  }
  if (outcome === 'expired') {
    return refused(
      'timestamp',
      'expected a newer oauth_timestamp: nonces of its time are forgotten',
    )
  }
  const expected = 'expected spendNonce to return "spent", "replayed" or "expired"'
  throw new SigningError('verifier', `${expected}, got ${JSON.stringify(outcome)}`)
}

function refused(step: VerificationStep, reason: string): Failure {
  return { ok: false, step, reason }
}

/** Runs a step that throws what it refuses. */
function attempt<T extends object>(step: VerificationStep, run: () => T): T | Failure {
  try {
    return run()
  } catch (error) {
    if (error instanceof SigningError) return refused(step, error.message)
    throw error
  }
}
