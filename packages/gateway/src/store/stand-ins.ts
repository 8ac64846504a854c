import { hash, randomBytes } from 'node:crypto'
import { LIMITS } from '../limits.ts'
import type { LoginWithKeys } from './store.ts'

/**
 * Chooses a login that stands in for an unknown one. A request that names an unknown login then costs what a request of
 * some login costs: with keys that the processor may not have in its cache, and with exponents that callers chose.
 * Only the process knows which names have the same stand-in. A stranger who knew it could compare the time of a name
 * with that of an unknown name with the same stand-in: it would be the same only if both are unknown.
 */
export class StandIns {
  readonly #known: ReadonlyMap<string, LoginWithKeys>
  readonly #secret = randomBytes(32).toString('hex')
  #logins: readonly LoginWithKeys[] | undefined

  /** @param known all logins; call `forget` after each change */
  constructor(known: ReadonlyMap<string, LoginWithKeys>) {
    this.#known = known
  }

  /** Notes that the logins have changed. */
  forget(): void {
    this.#logins = undefined
  }

  /**
   * Returns the login of a name, or its stand-in if there is none: the same one until the logins change. Returns nothing
   * if there are no logins.
   */
  find(name: string, login?: LoginWithKeys): LoginWithKeys | undefined {
    this.#logins ??= [...this.#known.values()]
    // One character more than the longest login has: no login shares its stand-in with a longer name.
    const hashed = hash('sha256', this.#secret + name.slice(0, LIMITS.loginLengthMax + 1), 'buffer')
    const chosen = login ?? this.#logins[hashed.readUIntBE(0, 6) % this.#logins.length]
    // The map has to be read for a stand-in too: the read takes half a microsecond if its place is not in the cache.
    return chosen && this.#known.get(chosen.name)
  }
}
