import { NONCE_KEPT_SECONDS, NONCES_PER_LOGIN_MAX } from './limits.ts'
import type { NonceOutcome, NonceUse } from './verifier.ts'

/** What may be chosen about nonces in memory. */
export interface MemoryNoncesOptions {
  /** Seconds since 1970; the system's clock where it is absent. Pass the verifier's own. */
  readonly nowSeconds?: () => number
  /** How long a nonce is remembered after its timestamp; 360, more than the timestamp's tolerance. */
  readonly keptSeconds?: number
  /** How many nonces of one login are remembered; 100,000. */
  readonly noncesPerLoginMax?: number
}

/** Nonces in memory, as the part of a `Verifier` that spends them. */
export interface MemoryNonces {
  readonly spendNonce: (use: NonceUse) => NonceOutcome
}

/** The nonces of one login. */
interface LoginNonces {
  readonly bySecond: Map<number, Set<string>>
  count: number
  /** Nothing is known of uses at or before this second: they are refused. */
  forgottenUpTo: number
}

/**
 * A nonce cache in this process's memory. It accepts (login, timestamp, nonce) once and forgets it
 * 360 s after its timestamp. A login that spends more than its share forgets its oldest nonces early;
 * timestamps as old as those are then refused as `expired`, never accepted twice.
 *
 * It serves one process: a second process, or a restart, does not know what this one accepted.
 *
 * @example const verifier = { findConsumer, ...createMemoryNonces() }
 */
export function createMemoryNonces({
  nowSeconds = () => Date.now() / 1000,
  keptSeconds = NONCE_KEPT_SECONDS,
  noncesPerLoginMax = NONCES_PER_LOGIN_MAX,
}: MemoryNoncesOptions = {}): MemoryNonces {
  const logins = new Map<string, LoginNonces>()
  return {
    spendNonce({ consumerKey, timestampSeconds, nonce }: NonceUse): NonceOutcome {
      const login = logins.get(consumerKey) ?? newLogin()
      logins.set(consumerKey, login)
      forget(login, Math.floor(nowSeconds()) - keptSeconds)
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
  // The seconds are few: as many as the clock's tolerance and the time that nonces are kept.
  if (upTo <= login.forgottenUpTo) return
  login.forgottenUpTo = upTo
  for (const [second, nonces] of login.bySecond) {
    if (second > upTo) continue
    login.bySecond.delete(second)
    login.count -= nonces.size
  }
}
