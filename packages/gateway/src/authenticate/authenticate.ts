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

/** What it takes to tell who is asking. */
export interface Authenticator {
  readonly store: Store
  readonly openKey: OpenKey
  /** The origin that callers sign for: the configured one, never what a proxy's header claims. */
  readonly publicUrl: string
  /** In the sandbox a refusal says which step failed and shows the base string; in production only an id. */
  readonly explains: boolean
  /** Fingerprints of the other environment's keys: one key is not taken in both. */
  readonly foreignFingerprints: readonly string[]
  readonly nowSeconds: () => number
  /** The methods that are taken; where there is none, all. */
  readonly methods?: readonly SignatureMethod[]
}

/** Who is asking. */
export interface Identity {
  readonly kind: 'identity'
  readonly login: LoginWithKeys
}

/** Tells who is asking, by the signature of the request (specification, "Authentication"), and spends its nonce. */
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
      // A key of the other environment is as good as none.
      const taken = (login?.keys ?? []).filter(({ fingerprint }) => {
        return !foreignFingerprints.includes(fingerprint)
      })
      const keys = await openKeys(taken, openKey)
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
  if (verified.ok) throw new Error('a signature was accepted without a login')
  const message = refusalMessage(verified, request.requestId, explains)
  const { step, code, consumerKey: claimedLogin } = verified
  return { kind: 'refusal', message, step, code, claimedLogin }
}

/** Two active keys of each signature method: as many as most logins may have. */
const KEYS_OPENED_MIN = 2 * LIMITS.liveKeysMax

/** Opens keys in as many steps for a login without keys as for one with them, so that the time does not tell. */
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
