/**
 * Orders the changes of a ledger and the reports that read it meanwhile. A report runs several queries. It sees all of
 * a change or nothing of it: a report whose queries began before a change and end after it runs them again.
 */
export class LedgerChanges {
  readonly #onChange: () => void
  /** How many changes have begun. */
  #begun = 0
  /** Resolves when the running change is over. */
  #running: Promise<unknown> = Promise.resolve()
  #lastWrite: Promise<unknown> = Promise.resolve()
  /** A promise for each reader, which resolves when the reader leaves. */
  readonly #readers = new Set<Promise<void>>()

  /** @param onChange called after each change: what was read before it may be wrong now */
  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange
  }

  /** Runs work while nothing else writes to the ledger. Reports go on. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    const written = this.#lastWrite.then(work)
    this.#lastWrite = written.catch(() => {})
    return await written
  }

  /**
   * Changes what reports see. Reports wait for the end of the change before they begin, so it should take a moment only.
   * Call it within `write`.
   */
  async change<T>(work: () => Promise<T>): Promise<T> {
    this.#begun += 1
    const changed = work()
    this.#running = changed.catch(() => {})
    try {
      return await changed
    } finally {
      this.#onChange()
    }
  }

  /** Records a reader. It calls the returned function when it does not need the ledger any more. */
  enter(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#readers.add(promise)
    return () => {
      this.#readers.delete(promise)
      resolve()
    }
  }

  /** Resolves when all readers have left that are there now. */
  async readersLeft(): Promise<void> {
    await Promise.all(this.#readers)
  }

  /**
   * Reads the ledger. If a change begins before `attempt` has planned its last query, the attempt is ended, and a new
   * one begins after the change.
   *
   * @param attempt has to end at an abort of its signal, and to call `onPlanned` when its last query is planned
   */
  async read<T>(
    signal: AbortSignal,
    attempt: (signal: AbortSignal, onPlanned: () => void) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      await this.#running
      const begun = this.#begun
      const outdated = new AbortController()
      let isPlanned = false
      const onPlanned = (): void => {
        isPlanned = this.#begun === begun
        if (!isPlanned) outdated.abort()
      }
      try {
        return await attempt(AbortSignal.any([signal, outdated.signal]), onPlanned)
      } catch (error) {
        if (isPlanned || this.#begun === begun || signal.aborted) throw error
      }
    }
  }
}
