import { LIMITS } from '../limits.ts'
import type { LoginWithKeys } from './store.ts'

/**
 * Chooses a login that stands in for an unknown one. A request that names an unknown login then costs what a request of
 * some login costs: with keys that the processor may not have in its cache, and with exponents that callers chose.
 */
export class StandIns {
  readonly #known: ReadonlyMap<string, LoginWithKeys>
  #logins: readonly LoginWithKeys[] | undefined

  /** @param known all logins; call `forget` after each change */
  constructor(known: ReadonlyMap<string, LoginWithKeys>) {
    this.#known = known
  }

  /** Notes that the logins have changed. */
  forget(): void {
    this.#logins = undefined
  }

  /** Returns the stand-in for a name: the same one until the logins change. Returns nothing if there is no login. */
  find(name: string): LoginWithKeys | undefined {
    this.#logins ??= [...this.#known.values()]
    return this.#logins[hashOf(name) % this.#logins.length]
  }
}

/** Hashes the start of a name (FNV-1a, 32 bits). */
function hashOf(name: string): number {
  let hash = 0x811c_9dc5
  const end = Math.min(name.length, LIMITS.loginLengthMax)
  for (let at = 0; at < end; at += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x0100_0193)
  }
  return hash >>> 0
}
