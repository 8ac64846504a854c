import {
  type SignatureMethod,
  type VerificationKey,
  type Verifier,
  verify,
} from '@counterfoil/signing'
import type { ReceivedRequest, Refusal } from '../outcome.ts'
import { LIMITS } from '../limits.ts'
import type { LoginWithKeys, Store, StoredKey } from '../store/store.ts'
import type { OpenKey } from '../keys/credentials.ts'
import { refusalMessage } from './refusal-message.ts'

/** The dependencies and settings of `authenticate`. */
export interface Authenticator {
  readonly store: Store
  readonly openKey: OpenKey
  /** The configured origin that callers sign for. The gateway never reads it from a proxy's header. */
  readonly publicUrl: string
  /** Whether a refusal names the failed step and shows the base string, as in the sandbox. */
  readonly explains: boolean
  /** Fingerprints of the other environment's keys, which this gateway refuses. */
  readonly foreignFingerprints: readonly string[]
  readonly nowSeconds: () => number
  /** The accepted signature methods. All by default. */
  readonly methods?: readonly SignatureMethod[]
}

/** The caller of an authenticated request. */
export interface Identity {
  readonly kind: 'identity'
  readonly login: LoginWithKeys
  /** The id of the view session, if the caller has no key. */
  readonly viewSession?: string
}

/** Identifies the caller of a request: by its signature, or by its view session. */
export type Identify = (request: ReceivedRequest) => Promise<Identity | Refusal>

/** Identifies the caller by the request's signature (specification, "Authentication"), and spends the nonce. */
export async function authenticate(
  authenticator: Authenticator,
  request: Omit<ReceivedRequest, 'publish'>,
): Promise<Identity | Refusal> {
  const { store, openKey, publicUrl, explains, foreignFingerprints, nowSeconds, methods } =
    authenticator
  let login: LoginWithKeys | undefined
  const verifier: Verifier = {
    findConsumer: async (name) => {
      login = await store.findLogin(name)
      const ownKeys = (login?.keys ?? []).filter(({ fingerprint }) => {
        return !foreignFingerprints.includes(fingerprint)
      })
      const keys = await openKeys(ownKeys, openKey)
      const { bodyHashRequired = false } = login ?? {}
      return login && { keys, bodyHashRequired }
    },
    spendNonce: (use) => store.spendNonce(use, nowSeconds()),
    nowSeconds,
    ...(methods && { methods }),
  }
  const { method, target, authorization, contentType, body } = request
  const url = publicUrl + target
  const verified = await verify({ method, url, authorization, contentType, body }, verifier)
  if (verified.ok && login) return { kind: 'identity', login }
  if (verified.ok) throw new Error('the verifier accepted a signature without a login')
  const message = refusalMessage(verified, request.requestId, explains)
  const { step, code, consumerKey: claimedLogin } = verified
  return { kind: 'refusal', message, step, code, claimedLogin }
}

/** Two active keys of each signature method. */
const KEYS_OPENED_MIN = 2 * LIMITS.activeKeysMax

/** Opens keys in at least `KEYS_OPENED_MIN` steps, so that the time does not reveal whether the login exists. */
async function openKeys(
  stored: readonly StoredKey[],
  openKey: OpenKey,
): Promise<readonly VerificationKey[]> {
  const keys: VerificationKey[] = []
  for (let index = 0; index < Math.max(KEYS_OPENED_MIN, stored.length); index += 1) {
    const next = stored[index]
    const key = await (next ? openKey(next) : Promise.resolve(undefined))
    if (key) keys.push(key)
  }
  return keys
}
