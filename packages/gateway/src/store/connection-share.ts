import { LIMITS } from '../limits.ts'
import { storeBusy } from './store-failure.ts'

interface OfLogin {
  running: number
  /** Begins the work that waits, the oldest first. */
  readonly waiting: Set<() => void>
}

/** Lets each login use at most half of the connections to the store, so that the requests of others find one. */
export class ConnectionShare {
  readonly #share: number
  readonly #logins = new Map<string, OfLogin>()

  /** @param connections the connections of all logins together */
  constructor(connections: number) {
    this.#share = Math.max(1, Math.floor(connections / 2))
  }

  /**
   * Does `work`, which uses one connection, when fewer than half of the connections do work of the login.
   *
   * @throws `store-busy` if the work cannot begin within `LIMITS.storeBusyTimeoutMs`
   */
  async use<T>(login: string, work: () => Promise<T>): Promise<T> {
    const own = this.#logins.get(login) ?? { running: 0, waiting: new Set() }
    this.#logins.set(login, own)
    if (own.running < this.#share) own.running += 1
    else await waitIn(own.waiting)
    try {
      return await work()
    } finally {
      const [next] = own.waiting
      // The next work takes the place of this one.
      if (next) next()
      else if ((own.running -= 1) === 0) this.#logins.delete(login)
    }
  }
}

async function waitIn(waiting: Set<() => void>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const begin = (): void => {
      clearTimeout(timer)
      waiting.delete(begin)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.delete(begin)
      reject(storeBusy())
    }, LIMITS.storeBusyTimeoutMs)
    waiting.add(begin)
  })
}
