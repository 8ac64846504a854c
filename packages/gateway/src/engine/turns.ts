/** A result up to this size counts as small, in bytes. */
const SMALL_BYTES = 1024 ** 2
/** A query counts as small for at most this long, in milliseconds. */
const SMALL_MS = 2000
/** A piece that takes longer than this gives up its place, in milliseconds. */
const PIECE_MS = 100

/** The turns of one query. */
export interface Turn {
  /** Waits for this query's turn and reads the next piece of its result. `bytes` is the size of the pieces so far. */
  read<T>(bytes: number, piece: () => Promise<T>): Promise<T>
  /** Ends the turns of the query, so that others do not wait for it. */
  end(): void
}

/** A large result. */
interface Large {
  /** The time that its pieces took, on the clock of the turns. */
  spentMs: number
}

interface Waiter {
  readonly large: Large
  readonly go: () => void
}

/**
 * Prefers queries whose results are small so far. While there are small results, at most half of the cores read large
 * ones. The large result whose pieces took the least time goes next, so slow pieces delay no other result. A result that
 * read nothing for a while saves no time up (start-time fair queueing).
 *
 * @example
 * const turn = turns.begin()
 * const first = await turn.read(0, readPiece)
 * const second = await turn.read(first.length, readPiece)
 * turn.end()
 */
export class Turns {
  /** How many pieces of large results are read in parallel while there are small results. */
  readonly #readingMax: number
  readonly #nowMs: () => number
  readonly #waiting = new Set<Waiter>()
  #small = 0
  /** The `spentMs` of the last result that got a turn. No result that waits may have less. */
  #clockMs = 0
  /** How many pieces of large results are being read. */
  #reading = 0

  constructor(cores: number, nowMs: () => number) {
    this.#readingMax = Math.max(1, Math.floor(cores / 2))
    this.#nowMs = nowMs
  }

  begin(): Turn {
    let large: Large | undefined
    let isOver = false
    this.#small += 1
    const leaveSmall = (): void => {
      clearTimeout(late)
      this.#small -= 1
      this.#letGo()
    }
    const grow = (): void => {
      if (large) return
      large = { spentMs: 0 }
      if (!isOver) leaveSmall()
    }
    const late = setTimeout(grow, SMALL_MS)
    return {
      read: async (bytes, piece) => {
        if (bytes > SMALL_BYTES) grow()
        return large ? await this.#readLarge(large, piece) : await piece()
      },
      end: () => {
        if (isOver) return
        isOver = true
        if (!large) leaveSmall()
      },
    }
  }

  async #readLarge<T>(large: Large, piece: () => Promise<T>): Promise<T> {
    await this.#enter(large)
    const startMs = this.#nowMs()
    let isCounted = true
    const leave = (): void => {
      if (!isCounted) return
      isCounted = false
      clearTimeout(slow)
      this.#reading -= 1
      this.#letGo()
    }
    const slow = setTimeout(leave, PIECE_MS)
    try {
      return await piece()
    } finally {
      large.spentMs += this.#nowMs() - startMs
      leave()
    }
  }

  async #enter(large: Large): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    large.spentMs = Math.max(large.spentMs, this.#clockMs)
    this.#waiting.add({ large, go: resolve })
    this.#letGo()
    await promise
  }

  #letGo(): void {
    while (this.#hasRoom()) {
      const [next] = [...this.#waiting].toSorted((one, other) => {
        return one.large.spentMs - other.large.spentMs
      })
      if (!next) return
      this.#waiting.delete(next)
      this.#clockMs = Math.max(this.#clockMs, next.large.spentMs)
      this.#reading += 1
      next.go()
    }
  }

  #hasRoom(): boolean {
    return this.#small === 0 || this.#reading < this.#readingMax
  }
}
