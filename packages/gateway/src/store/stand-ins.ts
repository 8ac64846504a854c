import { hash, randomBytes } from 'node:crypto'
import { LIMITS } from '../limits.ts'
import type { LoginWithKeys } from './store.ts'

/**
 * Chooses a login that stands in for an unknown one. A request that names an unknown login then costs what a request of
 * some login costs: with keys that the processor may not have in its cache, and with exponents that callers chose.
 * Only gateways know which names have the same stand-in. A stranger who knew it could compare the time of a name
 * with that of an unknown name with the same stand-in: it would be the same only if both are unknown.
 *
 * A name keeps its stand-in after a restart, at other gateways with the same secret, and for most names after a change.
 * Logins differ in time, for example by their number of keys. If an unknown name got another stand-in, its time would
 * change, and that of a known login would not.
 */
export class StandIns {
  readonly #known: ReadonlyMap<string, LoginWithKeys>
  #secret = randomBytes(32).toString('hex')
  #logins: readonly LoginWithKeys[] | undefined

  /** @param known all logins; call `forget` after each change */
  constructor(known: ReadonlyMap<string, LoginWithKeys>) {
    this.#known = known
  }

  /** Chooses by this secret from now on, instead of a random one. */
  useSecret(secret: string): void {
    this.#secret = secret
  }

  /** Notes that the logins have changed. */
  forget(): void {
    this.#logins = undefined
  }

  /**
   * Returns the login of a name, or its stand-in if there is none. Returns nothing if there are no logins. A new login
   * becomes the stand-in of a few names, and all others keep theirs.
   */
  find(name: string, login?: LoginWithKeys): LoginWithKeys | undefined {
    this.#logins ??= [...this.#known.values()].toSorted(byAge)
    // One character more than the longest login has: no login shares its stand-in with a longer name.
    const hashed = hash('sha256', this.#secret + name.slice(0, LIMITS.loginLengthMax + 1), 'buffer')
    const standIn = this.#logins[placeOf(hashed.readUInt32BE(), this.#logins.length)]
    const chosen = login ?? standIn
    // The map has to be read for a stand-in too: the read takes half a microsecond if its place is not in the cache.
    return chosen && this.#known.get(chosen.name)
  }
}

/** The oldest first, so that a new login changes the place of no other. */
function byAge(one: LoginWithKeys, other: LoginWithKeys): number {
  const difference = one.createdAt.getTime() - other.createdAt.getTime()
  return difference === 0 ? (one.name < other.name ? -1 : 1) : difference
}

const RANDOM_COUNT = 2 ** 32

/**
 * Chooses one of so many places by a number below 2^32. If a place is added at the end, each number moves there with
 * the same chance, and no number moves elsewhere (Lamping and Veach, "A fast, minimal memory, consistent hash
 * algorithm").
 */
function placeOf(number: number, count: number): number {
  let [random, place, next] = [number, 0, 0]
  while (next < count) {
    place = next
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
    next = Math.floor(((place + 1) * RANDOM_COUNT) / (random + 1))
  }
  return place
}
