import { setImmediate } from 'node:timers/promises'

/**
 * Lets the requests of one login have the main thread one after the other. Other requests are answered between two of
 * them.
 */
export class LoginTurns {
  /** The newest turn of each login that waits or has just begun. */
  readonly #newest = new Map<string, Promise<void>>()

  /** Resolves when the login's turn begins. */
  async next(login: string): Promise<void> {
    const before = this.#newest.get(login) ?? Promise.resolve()
    const begins = before.then(async () => await setImmediate())
    this.#newest.set(login, begins)
    await begins
    if (this.#newest.get(login) === begins) this.#newest.delete(login)
  }
}
