import { setImmediate } from 'node:timers/promises'

/** How long a document may keep other requests waiting, in addition to the text that it sets. */
const TURN_MS = 10

/** The time in which a document has the thread. The gateway answers other requests between two turns. */
export class Turn {
  readonly #now: () => number
  #startedAt: number

  /**
   * @param now a clock in milliseconds
   */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#startedAt = now()
  }

  /** Whether the turn is over, so that the document must wait for the next one. */
  get isOver(): boolean {
    return this.#now() - this.#startedAt >= TURN_MS
  }

  /** Lets the gateway do other work, and begins the next turn. */
  async next(): Promise<void> {
    await setImmediate()
    this.#startedAt = this.#now()
  }
}
