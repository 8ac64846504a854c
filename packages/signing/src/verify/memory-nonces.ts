import { NONCE_KEPT_SECONDS } from '../refusals/limits.ts'
import type { NonceOutcome, NonceUse } from './verifier.ts'

/**
 * Creates a nonce cache in the memory of this process. It accepts each combination of login, timestamp and nonce once,
 * and forgets it 360 s after its timestamp.
 *
 * Use it for one process only. A second process, or a restarted one, does not know which nonces this one accepted.
 *
 * @param nowSeconds Seconds since 1970; by default the system's clock. Pass the function that the verifier has.
 * @example
 * const { spendNonce } = createMemoryNonces()
 * const timestampSeconds = Math.floor(Date.now() / 1000)
 * spendNonce({ consumerKey: 'merchant-login', timestampSeconds, nonce: 'n1' }) // 'spent'
 * spendNonce({ consumerKey: 'merchant-login', timestampSeconds, nonce: 'n1' }) // 'replayed'
 */
export function createMemoryNonces(nowSeconds = () => Date.now() / 1000): {
  readonly spendNonce: (use: NonceUse) => NonceOutcome
} {
  const bySecond = new Map<number, Set<string>>()
  // The clock may jump back, and the nonces up to this second are gone.
  let forgottenUpTo = Number.NEGATIVE_INFINITY
  return {
    spendNonce({ consumerKey, timestampSeconds, nonce }) {
      forgottenUpTo = Math.max(forgottenUpTo, Math.floor(nowSeconds()) - NONCE_KEPT_SECONDS)
      for (const second of bySecond.keys()) {
        if (second <= forgottenUpTo) bySecond.delete(second)
      }
      if (timestampSeconds <= forgottenUpTo) return 'expired'
      const nonces = bySecond.get(timestampSeconds) ?? new Set()
      const use = JSON.stringify([consumerKey, nonce])
      if (nonces.has(use)) return 'replayed'
      bySecond.set(timestampSeconds, nonces.add(use))
      return 'spent'
    },
  }
}
