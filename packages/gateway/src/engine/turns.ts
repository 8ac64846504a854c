/** A result up to this size counts as small, in bytes. */
const SMALL_BYTES = 1024 ** 2
/** A query counts as small for at most this long, in milliseconds. */
const SMALL_MS = 2000
/** A piece that takes longer than this, with the rest after it, gives up its place, in milliseconds. */
const PIECE_MS = 100

/** The turns of one query. */
export interface Turn {
  /** Waits for this query's turn and reads the next piece of its result. `bytes` is the size of the pieces so far. */
  read<T>(bytes: number, piece: () => Promise<T>): Promise<T>
  /** Ends the turns of the query, so that others do not wait for it. */
  end(): void
}

/** The large results of one flow. */
interface Flow {
  /** The time that their pieces took, on the clock of the turns. */
  spentMs: number
  /** How many pieces wait or are being read. */
  pieces: number
}

interface Waiter {
  readonly flow: Flow
  readonly go: () => void
}

/**
 * Prefers queries whose results are small so far. While there are small results, at most half of the cores read large
 * ones, and each of them rests after a piece for as long as the piece took. The flow whose pieces took the least time
 * goes next (start-time fair queueing). So neither slow pieces nor many results of one flow delay another flow, and a
 * flow that read nothing for a while saves no time up.
 *
 * @example
 * const turn = turns.begin('shop-1')
 * const first = await turn.read(0, readPiece)
 * const second = await turn.read(first.length, readPiece)
 * turn.end()
 */
export class Turns {
  /** How many pieces of large results are read in parallel while there are small results. */
  readonly #readingMax: number
  readonly #nowMs: () => number
  readonly #waiting = new Set<Waiter>()
  /** Also flows without results, until the clock has reached their time. */
  readonly #flows = new Map<string, Flow>()
  #small = 0
  /** The `spentMs` of the last flow that got a turn. No flow that waits may have less. */
  #clockMs = 0
  /** How many pieces of large results are being read. */
  #reading = 0

  constructor(cores: number, nowMs: () => number) {
    this.#readingMax = Math.max(1, Math.floor(cores / 2))
    this.#nowMs = nowMs
  }

  /** @param name the flow of the query, such as the login that asked for it */
  begin(name: string): Turn {
    let isLarge = false
    let isOver = false
    this.#small += 1
    const leaveSmall = (): void => {
      clearTimeout(late)
      this.#small -= 1
      this.#letGo()
    }
    const grow = (): void => {
      if (isLarge) return
      isLarge = true
      if (!isOver) leaveSmall()
    }
    const late = setTimeout(grow, SMALL_MS)
    return {
      read: async (bytes, piece) => {
        if (bytes > SMALL_BYTES) grow()
        return isLarge ? await this.#readLarge(this.#flowOf(name), piece) : await piece()
      },
      end: () => {
        if (isOver) return
        isOver = true
        if (!isLarge) leaveSmall()
      },
    }
  }

  async #readLarge<T>(flow: Flow, piece: () => Promise<T>): Promise<T> {
    flow.pieces += 1
    await this.#enter(flow)
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
      const tookMs = this.#nowMs() - startMs
      flow.spentMs += tookMs
      flow.pieces -= 1
      if (this.#small > 0 && tookMs > 0) setTimeout(leave, tookMs)
      else leave()
    }
  }

  #flowOf(name: string): Flow {
    for (const [other, { spentMs, pieces }] of this.#flows) {
      if (pieces === 0 && spentMs <= this.#clockMs) this.#flows.delete(other)
    }
    const flow = this.#flows.get(name) ?? { spentMs: this.#clockMs, pieces: 0 }
    this.#flows.set(name, flow)
    return flow
  }

  async #enter(flow: Flow): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    flow.spentMs = Math.max(flow.spentMs, this.#clockMs)
    this.#waiting.add({ flow, go: resolve })
    this.#letGo()
    await promise
  }

  #letGo(): void {
    while (this.#hasRoom()) {
      const [next] = [...this.#waiting].toSorted((one, other) => {
        return one.flow.spentMs - other.flow.spentMs
      })
      if (!next) return
      this.#waiting.delete(next)
      this.#clockMs = Math.max(this.#clockMs, next.flow.spentMs)
      this.#reading += 1
      next.go()
    }
  }

  #hasRoom(): boolean {
    return this.#small === 0 || this.#reading < this.#readingMax
  }
}
