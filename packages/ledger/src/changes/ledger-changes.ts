import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@counterfoil/common'

/** The clock of a ledger's watermark. */
export interface ChangesClock {
  /** Milliseconds since 1970, by the clock that stamps the rows. */
  readonly now: () => number
  /** How long a row may be on its way into the ledger without the knowledge of this process. */
  readonly lagMs: number
  /** The ledger whose rows this clock stamps. Undefined on servers, which stamp the rows of all their gateways. */
  readonly ledger?: string | undefined
}

/**
 * Orders the changes of a ledger and the reports that read it meanwhile. A report runs several queries. It sees all of
 * a change or nothing of it: a report whose queries began before a change and end after it runs them again.
 */
export class LedgerChanges {
  readonly #onChange: () => void
  readonly #clock: ChangesClock
  #begun = 0
  /** Resolves when the running change is over, and the one that repairs it if it failed. */
  #running: Promise<unknown> = Promise.resolve()
  /** Called when the next change is over. */
  #onNext: () => void = () => {}
  #lastWrite: Promise<unknown> = Promise.resolve()
  /** A promise for each reader, which resolves when the reader leaves. */
  readonly #readers = new Set<Promise<void>>()
  /** When each open write began. */
  readonly #writes = new Set<{ readonly beganAt: number }>()

  /**
   * @param onChange called after each change: what was read before it may be wrong now
   * @param clock the clock of `watermark`
   */
  constructor(onChange: () => void = () => {}, clock: ChangesClock = { now: Date.now, lagMs: 0 }) {
    this.#onChange = onChange
    this.#clock = clock
  }

  /** The id of the ledger, which its cursors name. */
  get ledger(): string | undefined {
    return this.#clock.ledger
  }

  /** Runs work while nothing else writes to the ledger. Reports go on. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    const written = this.#lastWrite.then(async () => {
      const close = this.openWrite()
      try {
        return await work()
      } finally {
        close()
      }
    })
    this.#lastWrite = written.catch(() => {})
    return await written
  }

  /**
   * Changes what reports see. Reports wait for the end of the change before they begin, so it should take a moment
   * only. Call it within `write`.
   *
   * A change that fails may be half done, for example because the engine has ended. Reports then wait for the next
   * change, which completes it.
   */
  async change<T>(work: () => Promise<T>): Promise<T> {
    this.#begun += 1
    const changed = work()
    const [next, onChanged] = [Promise.withResolvers<void>(), this.#onNext]
    this.#onNext = next.resolve
    const repaired = async () => {
      const waited = sleep(LIMITS.brokenChangeWaitMs, undefined, { ref: false })
      await Promise.race([next.promise, waited])
    }
    this.#running = changed.catch(repaired).then(onChanged)
    try {
      return await changed
    } finally {
      this.#onChange()
    }
  }

  /**
   * Holds the watermark before this moment, because rows are being written that reports do not see yet. Call the
   * returned function when reports see all of them, or when none will come.
   */
  openWrite(): () => void {
    const write = { beganAt: this.#clock.now() }
    this.#writes.add(write)
    return () => void this.#writes.delete(write)
  }

  /**
   * Returns the watermark of the ledger, in milliseconds since 1970. A report that begins now sees every row whose
   * `loaded_at` is not after the watermark. Every row that comes later has a later `loaded_at`.
   */
  watermark(): number {
    const { now, lagMs } = this.#clock
    const began = [...this.#writes].map(({ beganAt }) => beganAt)
    // A write that begins within this millisecond is after the watermark.
    return Math.min(now() - lagMs, ...began) - 1
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
