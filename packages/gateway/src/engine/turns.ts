/** The size up to which a result counts as small, in bytes. */
const SMALL_BYTES = 1024 ** 2
/** For how long a query counts as small, however little it gives, in milliseconds. */
const SMALL_MS = 2000

/** The turns of one query. */
export interface Turn {
  /** Reads the next piece of a result, when it is this query's turn; `bytes` is the size of the pieces so far. */
  read<T>(bytes: number, piece: () => Promise<T>): Promise<T>
  /** The query reads no more; others need not wait for it. */
  end(): void
}

/**
 * Lets queries whose result is small so far go before the large ones: while there are any, large results are read by
 * half of the cores.
 *
 * @example
 * const turn = turns.begin()
 * const first = await turn.read(0, readPiece)
 * const second = await turn.read(first.length, readPiece)
 * turn.end()
 */
export class Turns {
  /** How many large results are read at once beside small ones. */
  readonly #largeMax: number
  readonly #waiting: (() => void)[] = []
  #small = 0
  /** Large results of which a piece is read now. */
  #reading = 0

  constructor(cores: number) {
    this.#largeMax = Math.max(1, Math.floor(cores / 2))
  }

  begin(): Turn {
    let isSmall = true
    this.#small += 1
    const grow = (): void => {
      if (!isSmall) return
      isSmall = false
      this.#small -= 1
      clearTimeout(late)
      this.#letGo()
    }
    const late = setTimeout(grow, SMALL_MS)
    return {
      read: async (bytes, piece) => {
        if (bytes > SMALL_BYTES) grow()
        if (isSmall) return await piece()
        await this.#enter()
        try {
          return await piece()
        } finally {
          this.#reading -= 1
          this.#letGo()
        }
      },
      end: grow,
    }
  }

  async #enter(): Promise<void> {
    if (!this.#hasRoom()) return await new Promise((resolve) => this.#waiting.push(resolve))
    this.#reading += 1
  }

  #letGo(): void {
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      this.#reading += 1
      this.#waiting.shift()?.()
    }
  }

  #hasRoom(): boolean {
    return this.#small === 0 || this.#reading < this.#largeMax
  }
}
