/** The size up to which a result counts as small, in bytes. */
const SMALL_BYTES = 1024 ** 2
/** For how long a query counts as small, however little it gives, in milliseconds. */
const SMALL_MS = 2000
/** After so long a piece no longer counts among those that are read, in milliseconds. */
const PIECE_MS = 100

/** The turns of one query. */
export interface Turn {
  /** Reads the next piece of a result, when it is this query's turn; `bytes` is the size of the pieces so far. */
  read<T>(bytes: number, piece: () => Promise<T>): Promise<T>
  /** The query reads no more; others need not wait for it. */
  end(): void
}

/** A large result. */
interface Large {
  /** For how long its pieces were read, counted from that of the other large results when it became large. */
  spentMs: number
}

interface Waiter {
  readonly large: Large
  readonly go: () => void
}

/**
 * Lets queries whose result is small so far go before the large ones. While there are small ones, large results are
 * read by half of the cores, and take turns by the time that their pieces took: slow pieces hold nobody back.
 *
 * @example
 * const turn = turns.begin()
 * const first = await turn.read(0, readPiece)
 * const second = await turn.read(first.length, readPiece)
 * turn.end()
 */
export class Turns {
  /** How many large results are read at once beside small ones. */
  readonly #readingMax: number
  readonly #nowMs: () => number
  readonly #large = new Set<Large>()
  readonly #waiting = new Set<Waiter>()
  #small = 0
  /** Large results of which a piece is read now. */
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
    const grow = (): Large => {
      const known = large ?? { spentMs: this.#leastSpentMs() }
      if (!large && !isOver) {
        this.#large.add(known)
        leaveSmall()
      }
      large = known
      return known
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
        if (large) this.#large.delete(large)
        else leaveSmall()
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
      this.#reading += 1
      next.go()
    }
  }

  #hasRoom(): boolean {
    return this.#small === 0 || this.#reading < this.#readingMax
  }

  /** Where the turns are now: a result that becomes large has no claim on the time before. */
  #leastSpentMs(): number {
    const spent = [...this.#large].map(({ spentMs }) => spentMs)
    return spent.length > 0 ? Math.min(...spent) : 0
  }
}
