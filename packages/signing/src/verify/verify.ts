import type { VerificationKey } from '../keys/keys.ts'
import { METHODS, type SignatureMethod } from '../keys/methods.ts'
import { readQuery, signatureBaseString } from '../parameters/base-string.ts'
import { isForm, readForm } from '../parameters/form.ts'
import { parseAuthorization } from '../parameters/header.ts'
import {
  encodeParameters,
  gatherParameters,
  type Parameter,
  sortAndJoin,
} from '../parameters/parameters.ts'
import { ACTIVE_KEYS_MAX } from '../refusals/limits.ts'
import { type Fault, REFUSALS, sentenceOf } from '../refusals/refusals.ts'
import { malformed, SigningError, wrongArgument } from '../refusals/signing-error.ts'
import {
  bodyFault,
  consumerFault,
  methodFault,
  nonceFault,
  readProtocolParameters,
  signatureFault,
  spendFault,
  timestampFault,
} from './request-faults.ts'
import type { Refused, RequestToVerify, Verification, Verifier } from './verifier.ts'

/**
 * Verifies a request: its header, parameters, timestamp, nonce, login, body hash and signature, in this order. Then it
 * spends the nonce (RFC 5849, 3.2). For an unknown login and for a login without a key for the method, a decoy key
 * checks the signature. So the time of a refusal hardly tells which logins exist.
 *
 * @returns The login and its key, or the step that failed. Nothing that a caller sends makes `verify` throw.
 * @throws {SigningError} `options` if the body was parsed before, or if `spendNonce` breaks its contract. Errors of the
 * verifier's own functions pass through.
 * @example
 * const key = await importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
 * const verifier = {
 *   findConsumer: (login: string) => (login === 'merchant-login' ? { keys: [key] } : undefined),
 *   ...createMemoryNonces(),
 * }
 * const form = new URLSearchParams({ amount: '10.42' })
 * const request = { method: 'POST', url: 'https://gate.example.com/a', form }
 * const { headers, body } = await sign(request, { consumerKey: 'merchant-login', key })
 * const received = {
 *   ...request,
 *   authorization: headers['Authorization'],
 *   contentType: headers['Content-Type'],
 *   body: new TextEncoder().encode(String(body)),
 * }
 * const accepted = await verify(received, verifier)
 * accepted.ok // true
 * const replayed = await verify(received, verifier)
 * replayed.ok // false
 */
export async function verify(request: RequestToVerify, verifier: Verifier): Promise<Verification> {
  // A framework may have parsed the body. What it parsed is not what the caller signed.
  if (!(request.body instanceof Uint8Array)) {
    throw wrongArgument('body as the raw bytes that arrived', request.body)
  }
  const header = attempt(() => readHeader(request.authorization, verifier))
  if ('code' in header) return refused(header)
  const { parameters, protocol } = header
  const { consumerKey, method, nonce, timestamp, signature } = protocol

  const wrongMethod = methodFault(method, verifier)
  if (wrongMethod) return { ...refused(wrongMethod), consumerKey }
  const built = attempt(() => buildBaseString(request, parameters))
  if ('code' in built) return { ...refused(built), consumerKey }
  const { parameterString, baseString } = built

  const refuse = (fault: Fault): Refused => {
    return { ...refused(fault), consumerKey, parameterString, baseString }
  }
  const timestampSeconds = Number(timestamp)
  const wrongTiming = timestampFault(timestamp, verifier) ?? nonceFault(nonce)
  if (wrongTiming) return refuse(wrongTiming)

  const consumer = (await verifier.findConsumer(consumerKey)) ?? undefined
  const keys = consumer ? consumer.keys.filter((key) => key.method === method) : []
  const wrongBody = await bodyFault(request, protocol.bodyHash, consumer)
  // Some clients send an empty token.
  const isConsumer = keys.length > 0 && !protocol.token
  const candidates = isConsumer && !wrongBody ? keys : []
  const key = await findSigningKey(candidates, method, baseString, signature)
  if (!key) {
    if (!isConsumer) return refuse(consumerFault(protocol, consumer))
    return refuse(wrongBody ?? signatureFault(request, keys, signature))
  }

  const wrongNonce = spendFault(await verifier.spendNonce({ consumerKey, timestampSeconds, nonce }))
  if (wrongNonce) return refuse(wrongNonce)
  return { ok: true, consumerKey, method, key, nonce, timestampSeconds, ...built }
}

function readHeader(authorization: RequestToVerify['authorization'], { methods }: Verifier) {
  const [header, ...others] = [authorization ?? []].flat()
  if (others.length > 0) {
    const got = others.length === 1 ? 'two' : String(others.length + 1)
    throw malformed('header-repeated', 'one Authorization header', got)
  }
  if (header === undefined) {
    throw malformed('header-missing', 'an Authorization header of the scheme OAuth', 'none')
  }
  const { parameters } = parseAuthorization(header)
  return { parameters, protocol: readProtocolParameters(parameters, methods) }
}

function buildBaseString(
  { method, contentType, body, ...request }: RequestToVerify,
  inHeader: readonly Parameter[],
): { readonly parameterString: string; readonly baseString: string } {
  const url = String(request.url)
  // The base string has no place for a fragment, so the signature would not cover it.
  if (url.includes('#')) throw malformed('url', 'a URL without "#"')
  const form = isForm(contentType) ? readForm(body) : []
  const header = encodeParameters(inHeader)
  const parameterString = sortAndJoin(gatherParameters(header, readQuery(url), form))
  return { parameterString, baseString: signatureBaseString({ method, url, parameterString }) }
}

/** Finds the key that verifies the signature. Decoys fill up to the maximum of keys. */
async function findSigningKey(
  keys: readonly VerificationKey[],
  method: SignatureMethod,
  baseString: string,
  signature: Uint8Array,
): Promise<VerificationKey | undefined> {
  for (let index = 0; index < Math.max(ACTIVE_KEYS_MAX, keys.length); index += 1) {
    const key = keys[index]
    if (await METHODS[method].verify(baseString, signature, key)) return key
  }
  return undefined
}

function refused(fault: Fault): Refused {
  return { ok: false, step: REFUSALS[fault.code][3], reason: sentenceOf(fault), ...fault }
}

/** Runs a step, and returns the fault that it throws. */
function attempt<T extends object>(run: () => T): T | Fault {
  try {
    return run()
  } catch (error) {
    if (error instanceof SigningError && error.fault) return error.fault
    throw error
  }
}
