import { NONCE_KEPT_SECONDS, NONCES_PER_LOGIN_MAX } from '../refusals/limits.ts'
import type { NonceOutcome, NonceUse } from './verifier.ts'

/** The options of {@link createMemoryNonces}. */
export interface MemoryNoncesOptions {
  /** Seconds since 1970; by default the system's clock. Pass the function that the verifier has. */
  readonly nowSeconds?: () => number
  /**
   * How long to keep a nonce after its timestamp; by default 360. Keep it above the verifier's timestamp tolerance:
   * older timestamps are refused as `expired`.
   */
  readonly keptSeconds?: number
  /** The most nonces to keep for one login; by default 100,000. */
  readonly noncesPerLoginMax?: number
}

/** A nonce cache: the part of a `Verifier` that spends nonces. */
export interface MemoryNonces {
  readonly spendNonce: (use: NonceUse) => NonceOutcome
}

interface LoginNonces {
  readonly bySecond: Map<number, Set<string>>
  count: number
  /** The cache no longer knows the nonces of this second or of an earlier one, so it refuses them. */
  forgottenUpTo: number
}

/**
 * Creates a nonce cache in the memory of this process. It accepts each combination of login, timestamp and nonce once,
 * and forgets it 360 s after its timestamp. A login that exceeds its share loses its oldest nonces early. The cache
 * then refuses timestamps of that age as `expired`, so it never accepts a request twice.
 *
 * Use it for one process only. A second process, or a restarted one, does not know which nonces this one accepted.
 *
 * @example
 * const { spendNonce } = createMemoryNonces()
 * const timestampSeconds = Math.floor(Date.now() / 1000)
 * spendNonce({ consumerKey: 'merchant-login', timestampSeconds, nonce: 'n1' }) // 'spent'
 * spendNonce({ consumerKey: 'merchant-login', timestampSeconds, nonce: 'n1' }) // 'replayed'
 */
export function createMemoryNonces({
  nowSeconds = () => Date.now() / 1000,
  keptSeconds = NONCE_KEPT_SECONDS,
  noncesPerLoginMax = NONCES_PER_LOGIN_MAX,
}: MemoryNoncesOptions = {}): MemoryNonces {
  const logins = new Map<string, LoginNonces>()
  let sweptUpTo = Number.NEGATIVE_INFINITY
  return {
    spendNonce({ consumerKey, timestampSeconds, nonce }: NonceUse): NonceOutcome {
      const login = logins.get(consumerKey) ?? newLogin()
      logins.set(consumerKey, login)
      const upTo = Math.floor(nowSeconds()) - keptSeconds
      forget(login, upTo)
      // A login that sends nothing more would keep its nonces.
      if (upTo >= sweptUpTo + keptSeconds) {
        sweptUpTo = upTo
        for (const silent of logins.values()) forget(silent, upTo)
      }
      if (timestampSeconds <= login.forgottenUpTo) return 'expired'
      const nonces = login.bySecond.get(timestampSeconds) ?? new Set()
      if (nonces.has(nonce)) return 'replayed'
      login.bySecond.set(timestampSeconds, nonces.add(nonce))
      login.count += 1
      if (login.count > noncesPerLoginMax) forget(login, Math.min(...login.bySecond.keys()))
      return timestampSeconds <= login.forgottenUpTo ? 'expired' : 'spent'
    },
  }
}

function newLogin(): LoginNonces {
  return { bySecond: new Map(), count: 0, forgottenUpTo: Number.NEGATIVE_INFINITY }
}

function forget(login: LoginNonces, upTo: number): void {
  if (upTo <= login.forgottenUpTo) return
  login.forgottenUpTo = upTo
  // There are few seconds: at most the verifier's tolerance and the time that nonces are kept.
  for (const [second, nonces] of login.bySecond) {
    if (second > upTo) continue
    login.bySecond.delete(second)
    login.count -= nonces.size
  }
}
