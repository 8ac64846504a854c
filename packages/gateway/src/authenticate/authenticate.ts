import {
  type Diagnosis,
  type SignatureMethod,
  type VerificationKey,
  type Verifier,
  verify,
} from '@counterfoil/signing'
import { REFUSAL_JSON_MEDIA_TYPE } from '@counterfoil/protocol'
import {
  asksFor,
  failureOf,
  type Outcome,
  type ReceivedRequest,
  type Refusal,
} from '../outcome/outcome.ts'
import type { LoginWithKeys, OpenKey, Store, StoredKey } from '@counterfoil/store'
import { type FairQueue, LIMITS, STRANGERS } from '@counterfoil/common'
import { refusalContent, refusalMessage } from './refusal-message.ts'
import { diagnoseRefused, type KeptRequest, type RefusedRequests } from './refused-requests.ts'

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
  readonly noteKeyUse: (keyId: string) => void
  readonly refusedRequests: RefusedRequests
  /** The accepted signature methods. All by default. */
  readonly methods?: readonly SignatureMethod[]
}

/** The caller of an authenticated request. */
export interface Identity {
  readonly kind: 'identity'
  readonly login: LoginWithKeys
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

export function noteCaller({ note }: ReceivedRequest, { login, viewSession, key }: Identity): void {
  note({ login: login.name, viewSession, keyId: key?.keyId, fingerprint: key?.fingerprint })
}

/** The active keys of a login that this gateway accepts: as the store has them, and open. */
export async function openKeysOf(
  { openKey, foreignFingerprints }: Authenticator,
  login: LoginWithKeys | undefined,
): Promise<{ readonly stored: readonly StoredKey[]; readonly open: readonly VerificationKey[] }> {
  const stored = (login?.keys ?? []).filter((key) => !foreignFingerprints.has(key.fingerprint))
  return { stored, open: await Promise.all(stored.map(openKey)) }
}

/**
 * Identifies the caller by the request's signature (specification, "Authentication"), and spends the nonce.
 * @throws the fault of the body's media type, after the signature
 */
export async function authenticate(
  authenticator: Authenticator,
  request: Omit<ReceivedRequest, 'note'>,
): Promise<Identity | Refusal> {
  const { store, publicUrl, nowSeconds, methods, diagnoses, refusedRequests } = authenticator
  let login: LoginWithKeys | undefined
  let keys = await openKeysOf(authenticator, login)
  const verifier: Verifier = {
    findConsumer: async (name) => {
      login = await store.findLogin(name)
      if (!login) return undefined
      keys = await openKeysOf(authenticator, login)
      return { keys: keys.open, bodyHashRequired: login.bodyHashRequired }
    },
    spendNonce: (use) => store.spendNonce(use, nowSeconds()),
    nowSeconds,
    ...(methods && { methods }),
  }
  const { method, target, authorization, contentType, body, requestId, host } = request
  const received = { method, url: publicUrl + target, authorization, contentType, body }
  const verified = await verify(received, verifier)
  const known = login
  if (verified.ok && known) {
    if (request.bodyFault) throw request.bodyFault
    const key = keys.stored[keys.open.indexOf(verified.key)]
    if (key) authenticator.noteKeyUse(key.keyId)
    return { kind: 'identity', login: known, key }
  }
  if (verified.ok) throw new Error('the verifier accepted a signature without a login')
  const { step, code, consumerKey: claimedLogin } = verified
  const kept = {
    requestId,
    atSeconds: nowSeconds(),
    request: { ...received, host },
    refused: verified,
  }
  refusedRequests.add(kept, known !== undefined)
  const diagnosis = diagnoses && (await diagnoseInTurn(kept, keys.open, diagnoses))
  const explanation = diagnoses && { refused: verified, diagnosis }
  const message = refusalMessage(requestId, explanation)
  const content = asksFor(REFUSAL_JSON_MEDIA_TYPE, request)
    ? refusalContent(requestId, explanation)
    : undefined
  return { kind: 'refusal', message, content, step, code, claimedLogin }
}

/**
 * Names the mistake of a refused request, unless too many wait for that. A wrong signature waits in the queue, because
 * the gateway tries all mistakes of callers. Any other refusal names its mistake at once.
 */
async function diagnoseInTurn(
  kept: KeptRequest,
  keys: readonly VerificationKey[],
  queue: FairQueue,
): Promise<Diagnosis | undefined> {
  if (kept.refused.code !== 'signature-mismatch') return await diagnoseRefused(kept, keys)
  const leave = await queue.enter(STRANGERS).catch(() => undefined)
  if (!leave) return undefined
  return await diagnoseRefused(kept, keys).finally(leave)
}

/**
 * Returns a function that writes the last use of a key to the store, at most once in `LIMITS.keyUsesEveryMs` for each
 * key. No request waits for the write, and none fails with it.
 */
export function createKeyUses(
  store: Pick<Store, 'noteKeyUse'>,
  now: () => number,
): Authenticator['noteKeyUse'] {
  const writtenAt = new Map<string, number>()
  return (keyId) => {
    const usedAt = now()
    if (usedAt - (writtenAt.get(keyId) ?? 0) < LIMITS.keyUsesEveryMs) return
    writtenAt.set(keyId, usedAt)
    store.noteKeyUse(keyId, new Date(usedAt)).catch(() => writtenAt.delete(keyId))
  }
}
