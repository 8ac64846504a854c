/** Requests of one address that begin in a round of the event loop, unless a proxy is declared. */
export const REQUESTS_PER_ROUND = 4

/** The requests of one address in a round of the event loop. */
interface Turn {
  begun: number
  /** The requests that have not begun, the oldest first. */
  readonly waiting: (() => void)[]
}

/**
 * Lets the requests of one address begin a few at a time. A report takes many rounds of the event loop. Without the
 * turns, each round would last until the gateway has worked on a request of every connection of the address.
 */
export class AddressTurns {
  readonly #turns = new Map<string, Turn>()
  readonly #perRound: number

  /** @param perRound the requests of an address that begin in a round; of a proxy's address, `Infinity` */
  constructor(perRound: number) {
    this.#perRound = perRound
  }

  /** Begins a request at once, or in a later round if its address has begun enough requests in this one. */
  add(address: string, begin: () => void): void {
    if (this.#turns.size === 0) setImmediate(() => this.#beginRound())
    const turn = this.#turns.get(address) ?? { begun: 0, waiting: [] }
    this.#turns.set(address, turn)
    if (turn.begun >= this.#perRound) {
      turn.waiting.push(begin)
    } else {
      turn.begun += 1
      begin()
    }
  }

  #beginRound(): void {
    const first: (() => void)[] = []
    for (const [address, turn] of this.#turns) {
      const next = turn.waiting.splice(0, this.#perRound)
      turn.begun = next.length
      if (next.length === 0) this.#turns.delete(address)
      first.push(...next)
    }
    if (this.#turns.size > 0) setImmediate(() => this.#beginRound())
    for (const begin of first) begin()
  }
}
