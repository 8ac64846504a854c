/** The size up to which a result counts as small, in bytes. */
const SMALL_BYTES = 1024 ** 2
/** For how long a query counts as small, however little it gives, in milliseconds. */
const SMALL_MS = 2000
/** How often one large result goes on while small ones keep the cores busy, in milliseconds. */
const TURN_MS = 100

/** The turns of one query. */
export interface Turn {
  /** Reads the next piece of a result, when it is this query's turn; `bytes` is the size of the pieces so far. */
  read<T>(bytes: number, piece: () => Promise<T>): Promise<T>
  /** The query reads no more; others need not wait for it. */
  end(): void
}

/**
 * Lets queries whose result is small so far go before the large ones, as long as there are more of both than cores. A
 * large result is not stopped: every 100 ms one of them goes on, whatever waits.
 *
 * @example
 * const turn = turns.begin()
 * const first = await turn.read(0, readPiece)
 * const second = await turn.read(first.length, readPiece)
 * turn.end()
 */
export class Turns {
  readonly #cores: number
  readonly #waiting: (() => void)[] = []
  #small = 0
  #reading = 0
  #timer: NodeJS.Timeout | undefined

  constructor(cores: number) {
    this.#cores = cores
  }

  begin(): Turn {
    let isSmall = true
    this.#small += 1
    const grow = (): void => {
      if (!isSmall) return
      isSmall = false
      this.#small -= 1
      clearTimeout(late)
      this.#goOn()
    }
    const late = setTimeout(grow, SMALL_MS)
    return {
      read: async (bytes, piece) => {
        if (bytes > SMALL_BYTES) grow()
        if (!isSmall && this.#isBusy()) await this.#wait()
        this.#reading += 1
        try {
          return await piece()
        } finally {
          this.#reading -= 1
          this.#goOn()
        }
      },
      end: grow,
    }
  }

  #isBusy(): boolean {
    return this.#small > 0 && this.#reading >= this.#cores
  }

  async #wait(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      this.#timer ??= setInterval(() => this.#letOneGo(), TURN_MS)
    })
  }

  #goOn(): void {
    if (this.#small === 0) while (this.#waiting.length > 0) this.#letOneGo()
    if (!this.#isBusy()) this.#letOneGo()
  }

  #letOneGo(): void {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
