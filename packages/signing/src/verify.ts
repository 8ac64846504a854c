import { readQuery, signatureBaseString, urlText } from './base-string.ts'
import { parseAuthorization } from './header.ts'
import { isForm, readForm } from './form.ts'
import { decoyKeys, type VerificationKey } from './keys.ts'
import { LIVE_KEYS_MAX } from './limits.ts'
import { METHODS, type SignatureMethod } from './methods.ts'
import { encodeParameter, type Parameter } from './parameter.ts'
import { gatherParameters, sortAndJoin } from './parameters.ts'
import { type ProtocolParameters, readProtocolParameters } from './protocol-parameters.ts'
import { type Fault, REFUSAL_STEPS, sentenceOf } from './refusal.ts'
import {
  acceptsConsumer,
  bodyFault,
  consumerFault,
  methodFault,
  nonceFault,
  signatureFault,
  spendFault,
  timestampFault,
} from './request-faults.ts'
import { SigningError } from './signing-error.ts'
import type { Consumer, Refused, RequestToVerify, Verification, Verifier } from './verifier.ts'
import { requireRecord, requireText, wrongArgument } from './wrong-argument.ts'

/**
 * Verifies a request, step by step: header, parameters, timestamp, nonce, consumer, body-hash,
 * signature; at last it spends the nonce (RFC 5849, 3.2). An unknown login, a login without a key of
 * the method, and a wrong signature cost the same work.
 *
 * @returns The login and the key, or the step that failed. Nothing a caller sends makes it throw.
 * @throws What the verifier throws; a `SigningError` of the code `verifier` where the verifier breaks
 * its contract, of the code `options` for an argument of the wrong type.
 * @example
 * const verifier = { findConsumer, ...createMemoryNonces() }
 * const verification = await verify({ method, url, authorization, contentType, body }, verifier)
 * if (!verification.ok) console.error(verification.code, verification.reason)
 */
export async function verify(request: RequestToVerify, verifier: Verifier): Promise<Verification> {
  checkArguments(request, verifier)
  const header = attempt(() => readHeader(request.authorization, verifier))
  if ('code' in header) return refused(header)
  const { parameters, protocol } = header
  const { consumerKey, method, nonce, timestamp, signature } = protocol

  const untaken = methodFault(method, verifier)
  if (untaken) return { ...refused(untaken), consumerKey }
  const built = attempt(() => buildBaseString(request, parameters))
  if ('code' in built) return { ...refused(built), consumerKey }
  const { parameterString, baseString } = built

  const refuse = (fault: Fault): Refused => {
    return { ...refused(fault), consumerKey, parameterString, baseString }
  }
  const timestampSeconds = Number(timestamp)
  const untimely = timestampFault(timestamp, verifier) ?? nonceFault(nonce)
  if (untimely) return refuse(untimely)

  // From here to the end of the checks, the work must not tell an unknown login from a known one.
  const nobody = { keys: await decoyKeys() }
  const found = (await verifier.findConsumer(consumerKey)) ?? undefined
  const consumer: Consumer = found ?? nobody
  const keys = keysOf(consumer, method)
  const wrongBody = await bodyFault(request, protocol.bodyHash, consumer)
  const isConsumer = found !== undefined && acceptsConsumer(protocol, found, keys)
  const isAccepted = isConsumer && !wrongBody
  const decoys = keysOf(nobody, method)
  const candidates = isAccepted ? keys : decoys
  const secret = isAccepted ? consumer.token?.secret : undefined
  const key = await findSigningKey(candidates, method, baseString, signature, secret)
  if (!key || !isAccepted) {
    const wrongConsumer = consumerFault(protocol, consumer, found !== undefined)
    const wrongSignature = signatureFault(request, keys, signature)
    return refuse(isConsumer ? (wrongBody ?? wrongSignature) : wrongConsumer)
  }

  const unspent = spendFault(await verifier.spendNonce({ consumerKey, timestampSeconds, nonce }))
  if (unspent) return refuse(unspent)
  return { ok: true, consumerKey, method, key, nonce, timestampSeconds, ...built }
}

interface Header {
  readonly parameters: readonly Parameter[]
  readonly protocol: ProtocolParameters
}

function checkArguments(request: RequestToVerify, verifier: Verifier): void {
  requireRecord(
    request,
    'a request as an object: { method, url, authorization, contentType, body }',
  )
  requireRecord(verifier, 'a verifier as an object: { findConsumer, spendNonce }')
  const { authorization, contentType, body } = request
  for (const header of [authorization ?? ''].flat()) requireText(header, 'authorization')
  requireText(contentType ?? '', 'contentType')
  if (!(body instanceof Uint8Array)) {
    throw wrongArgument('body as the raw bytes that arrived, before anything parses them', body)
  }
  for (const name of ['findConsumer', 'spendNonce'] as const) {
    if (typeof verifier[name] !== 'function') {
      throw wrongArgument(`${name} of the verifier as a function`, verifier[name])
    }
  }
  const { methods, timestampToleranceSeconds: tolerance } = verifier
  if (methods !== undefined && !Array.isArray(methods)) {
    throw wrongArgument('methods of the verifier as an array', methods)
  }
  if (tolerance !== undefined && !Number.isFinite(tolerance)) {
    throw wrongArgument('timestampToleranceSeconds as a finite number', tolerance)
  }
}

function readHeader(authorization: RequestToVerify['authorization'], verifier: Verifier): Header {
  const [header, ...others] = [authorization ?? []].flat()
  if (others.length > 0) {
    const got = others.length === 1 ? 'two' : String(others.length + 1)
    const expected = 'one Authorization header'
    throw new SigningError('header', { code: 'header-repeated', expected, got })
  }
  if (header === undefined) {
    const expected = 'an Authorization header of the scheme OAuth'
    throw new SigningError('header', { code: 'header-missing', expected, got: 'none' })
  }
  const { parameters } = parseAuthorization(header)
  return { parameters, protocol: readProtocolParameters(parameters, verifier.methods) }
}

function buildBaseString(
  { method, contentType, body, ...request }: RequestToVerify,
  inHeader: readonly Parameter[],
): { readonly parameterString: string; readonly baseString: string } {
  const url = urlText(request.url)
  // The base string has no place for a fragment, so that anything after a "#" would pass unsigned.
  if (url.includes('#')) {
    throw new SigningError('url', { code: 'url', expected: 'a URL without "#"' })
  }
  const form = isForm(contentType) ? readForm(body) : []
  const header = inHeader.map((parameter) => encodeParameter(parameter))
  const parameterString = sortAndJoin(gatherParameters(header, readQuery(url), form))
  return { parameterString, baseString: signatureBaseString({ method, url, parameterString }) }
}

/** The keys of a consumer that may have made a signature of this method. Throws `verifier`. */
function keysOf({ keys }: Consumer, method: SignatureMethod): readonly VerificationKey[] {
  if (!Array.isArray(keys)) throw brokenContract('findConsumer to return { keys: [...] }')
  const { length } = keys.filter((key) => key?.kind === 'control' || key?.kind === 'public')
  if (length === keys.length) return keys.filter((key) => key.method === method)
  throw brokenContract('keys from "await importControlKey(...)" or "await importPublicKey(...)"')
}

/**
 * Finds the key that the signature is valid for; where there is none, always with the same work.
 */
async function findSigningKey(
  keys: readonly VerificationKey[],
  method: SignatureMethod,
  baseString: string,
  signature: Uint8Array,
  tokenSecret: string | undefined,
): Promise<VerificationKey | undefined> {
  for (let index = 0; index < Math.max(LIVE_KEYS_MAX, keys.length); index += 1) {
    const key = keys[index]
    if (await METHODS[method].verify(baseString, signature, key, tokenSecret)) return key
  }
  return undefined
}

function refused(fault: Fault): Refused {
  return { ok: false, step: REFUSAL_STEPS[fault.code], reason: sentenceOf(fault), ...fault }
}

/** Runs a step that throws what it refuses. */
function attempt<T extends object>(run: () => T): T | Fault {
  try {
    return run()
  } catch (error) {
    if (error instanceof SigningError && error.fault) return error.fault
    throw error
  }
}

function brokenContract(expected: string): SigningError {
  return new SigningError('verifier', `expected ${expected}`)
}
