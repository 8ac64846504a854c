/** Requests of one address that begin in a round of the event loop. */
const REQUESTS_PER_ROUND = 4

/**
 * Lets the requests of one address begin a few at a time. A report takes many rounds of the event loop. Without the
 * turns, each round would last until the gateway has worked on a request of every connection of the address.
 */
export class AddressTurns {
  /** The requests of each address that have not begun, the oldest first. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** Begins a request when it is the turn of its address. */
  add(address: string, begin: () => void): void {
    if (this.#waiting.size === 0) setImmediate(() => this.#beginSome())
    const others = this.#waiting.get(address)
    if (others) others.push(begin)
    else this.#waiting.set(address, [begin])
  }

  #beginSome(): void {
    const begun = [...this.#waiting].flatMap(([address, waiting]) => {
      const first = waiting.splice(0, REQUESTS_PER_ROUND)
      if (waiting.length === 0) this.#waiting.delete(address)
      return first
    })
    if (this.#waiting.size > 0) setImmediate(() => this.#beginSome())
    for (const begin of begun) begin()
  }
}
