import { setImmediate } from 'node:timers/promises'
import {
  diagnose,
  type Refused,
  type SignatureMethod,
  type VerificationKey,
  type Verifier,
  verify,
} from '@counterfoil/signing'
import { failureOf, type Outcome, type ReceivedRequest, type Refusal } from '../outcome/outcome.ts'
import type { LoginWithKeys, OpenKey, Store, StoredKey } from '@counterfoil/store'
import { type FairQueue, type Leave, STRANGERS } from '@counterfoil/common'
import { asksForJson, type Explanation, refusalContent, refusalMessage } from './refusal-message.ts'
import type { RefusedRequests } from './refused-requests.ts'

/** The dependencies and settings of `authenticate`. */
export interface Authenticator {
  readonly store: Store
  readonly openKey: OpenKey
  /** The configured origin that callers sign for. The gateway never reads it from a proxy's header. */
  readonly publicUrl: string
  /** The queue of diagnoses in the sandbox, where a refusal names the mistake and shows the base string. */
  readonly diagnoses?: FairQueue
  /** Fingerprints of the other environment's keys, which this gateway refuses. */
  readonly foreignFingerprints: ReadonlySet<string>
  readonly nowSeconds: () => number
  /** Notes the key that signed an accepted request. */
  readonly noteKeyUse?: (keyId: string) => void
  /** Keeps refused requests for the operator. */
  readonly refusedRequests?: RefusedRequests
  /** The accepted signature methods. All by default. */
  readonly methods?: readonly SignatureMethod[]
}

/** The caller of an authenticated request. */
export interface Identity {
  readonly kind: 'identity'
  readonly login: LoginWithKeys
  /** The key that signed the request. */
  readonly key?: Pick<StoredKey, 'keyId' | 'fingerprint'> | undefined
  /** The id of the view session, if the caller has no key. */
  readonly viewSession?: string
}

/** Identifies the caller of a request: by its signature, or by its view session. */
export type Identify = (request: ReceivedRequest) => Promise<Identity | Refusal>

/** Identifies the caller of a request, and answers. Each error becomes an outcome, unless the caller has left. */
export async function answerCaller(
  identify: Identify,
  request: ReceivedRequest,
  signal: AbortSignal,
  answer: (identity: Identity) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const identity = await identify(request)
    if (identity.kind === 'refusal') return identity
    noteCaller(request, identity)
    return await answer(identity)
  } catch (error) {
    if (error === signal.reason) throw error
    return failureOf(error)
  }
}

/** Notes who sends a request. */
export function noteCaller({ note }: ReceivedRequest, { login, viewSession, key }: Identity): void {
  note({ login: login.name, viewSession, keyId: key?.keyId, fingerprint: key?.fingerprint })
}

/**
 * Identifies the caller by the request's signature (specification, "Authentication"), and spends the nonce.
 * @throws the fault of the body's media type, after the signature
 */
export async function authenticate(
  authenticator: Authenticator,
  request: Omit<ReceivedRequest, 'note'>,
): Promise<Identity | Refusal> {
  const { store, openKey, publicUrl, foreignFingerprints, nowSeconds, methods } = authenticator
  let login: LoginWithKeys | undefined
  let keys: readonly VerificationKey[] = []
  let ownKeys: readonly StoredKey[] = []
  const verifier: Verifier = {
    findConsumer: async (name) => {
      login = await store.findLogin(name)
      if (!login) return undefined
      ownKeys = login.keys.filter(({ fingerprint }) => !foreignFingerprints.has(fingerprint))
      keys = await Promise.all(ownKeys.map(openKey))
      return { keys, bodyHashRequired: login.bodyHashRequired }
    },
    spendNonce: (use) => store.spendNonce(use, nowSeconds()),
    nowSeconds,
    ...(methods && { methods }),
  }
  const { method, target, authorization, contentType, body } = request
  const url = publicUrl + target
  const received = { method, url, authorization, contentType, body }
  const verified = await verify(received, verifier)
  const known = login
  if (verified.ok && known) {
    if (request.bodyFault) throw request.bodyFault
    const key = ownKeys[keys.indexOf(verified.key)]
    if (key) authenticator.noteKeyUse?.(key.keyId)
    return { kind: 'identity', login: known, key }
  }
  if (verified.ok) throw new Error('the verifier accepted a signature without a login')
  const { requestId, host } = request
  const atSeconds = nowSeconds()
  const kept = { requestId, atSeconds, request: { ...received, host }, refused: verified }
  authenticator.refusedRequests?.add(kept, known !== undefined)
  const explanation =
    authenticator.diagnoses &&
    (await diagnoseRefusal(
      { request, url, refused: verified, keys, nowSeconds: atSeconds },
      authenticator.diagnoses,
    ))
  return refusalOf(verified, request, explanation)
}

function refusalOf(
  { step, code, consumerKey: claimedLogin }: Refused,
  { requestId, accept }: Omit<ReceivedRequest, 'note'>,
  explanation: Explanation | undefined,
): Refusal {
  const message = refusalMessage(requestId, explanation)
  const content = asksForJson(accept) ? refusalContent(requestId, explanation) : undefined
  return { kind: 'refusal', message, content, step, code, claimedLogin }
}

/** A refused request, and what the gateway knows of it. */
interface RefusedRequest {
  readonly request: Omit<ReceivedRequest, 'note'>
  /** The URL that the caller should have signed. */
  readonly url: string
  readonly refused: Refused
  /** The active keys of the login; none if it is unknown. */
  readonly keys: readonly VerificationKey[]
  readonly nowSeconds: number
}

/**
 * Names the mistake of a refused request. A wrong signature waits in the queue, because the gateway tries all mistakes
 * of callers. Any other refusal names its mistake at once.
 */
async function diagnoseRefusal(
  { request, url, refused, keys, nowSeconds }: RefusedRequest,
  queue: FairQueue,
): Promise<Explanation> {
  const { method, authorization, contentType, body, host } = request
  const options = {
    keys,
    refused,
    receivedAtSeconds: nowSeconds,
    ...(host !== undefined && { host }),
    pause: () => setImmediate(),
  }
  const isCostly = refused.code === 'signature-mismatch'
  let leave: Leave | undefined
  try {
    if (isCostly) leave = await queue.enter(STRANGERS)
  } catch {
    return { refused, diagnosis: undefined }
  }
  try {
    const received = { method, url, authorization, contentType, body }
    return { refused, diagnosis: await diagnose(received, options) }
  } finally {
    leave?.()
  }
}
