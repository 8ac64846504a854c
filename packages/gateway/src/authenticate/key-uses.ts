import { LIMITS } from '@counterfoil/common'
import type { Store } from '@counterfoil/store'

/**
 * Returns a function that writes the last use of a key to the store, at most once in `LIMITS.keyUsesEveryMs` for each
 * key. No request waits for the write, and none fails with it.
 */
export function createKeyUses(
  store: Pick<Store, 'noteKeyUse'>,
  now: () => number,
): (keyId: string) => void {
  const writtenAt = new Map<string, number>()
  return (keyId) => {
    const usedAt = now()
    if (usedAt - (writtenAt.get(keyId) ?? 0) < LIMITS.keyUsesEveryMs) return
    writtenAt.set(keyId, usedAt)
    store.noteKeyUse(keyId, new Date(usedAt)).catch(() => writtenAt.delete(keyId))
  }
}
