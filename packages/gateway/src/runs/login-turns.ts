import { setImmediate } from 'node:timers/promises'

/**
 * Lets the requests of one login do their work one after the other. Other requests are answered between two of them.
 */
export class LoginTurns {
  /** The end of the newest turn of each login that waits or works. */
  readonly #newest = new Map<string, Promise<unknown>>()

  /** Does `work` when the login's earlier work has ended, also if that failed. */
  async take<T>(login: string, work: () => Promise<T>): Promise<T> {
    const before = this.#newest.get(login) ?? Promise.resolve()
    const done = before.then(async () => await setImmediate()).then(work)
    const ended = Promise.allSettled([done])
    this.#newest.set(login, ended)
    try {
      return await done
    } finally {
      if (this.#newest.get(login) === ended) this.#newest.delete(login)
    }
  }
}
