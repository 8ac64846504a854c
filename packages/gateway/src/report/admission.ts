import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'

/** How many reports may run and wait. */
export interface AdmissionLimits {
  /** Reports that run at the same time. */
  readonly places: number
  /** Reports that wait for a place. */
  readonly queueLength: number
  /** How long a report waits for a place. */
  readonly queueWaitMs: number
}

/** A place among the running reports. */
export interface Place {
  /** Adds bytes that the report has produced. */
  readonly count: (bytes: number) => void
  /** Frees the place, after `LIMITS.abandonedPlaceMs` if the caller has left. Later calls do nothing. */
  readonly leave: () => void
}

interface Running {
  readonly startedAtMs: number
  bytes: number
}

interface Waiter {
  readonly login: string
  readonly signal: AbortSignal
  readonly take: (place: Place) => void
  readonly leave: (error: unknown) => void
}

/**
 * Decides which report runs next, so that no login starves another (docs/decisions/0025-a-share-for-each-login.md):
 *
 * - A login uses at most half of the places.
 * - Waiting logins take turns.
 * - The last quarter of the places is for logins whose running reports are all small so far.
 * - A report whose caller leaves keeps its place for a while, because the start of a report is the most work for the
 *   main thread.
 * - In a full queue, the login with the most waiting reports loses its newest one to a login that has fewer.
 */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #nowMs: () => number
  readonly #share: number
  readonly #reservedForSmall: number
  readonly #running = new Map<string, Set<Running>>()
  /** Waiting reports by login, in the order of the logins' turns. A login without waiting reports is absent. */
  readonly #waiting = new Map<string, Waiter[]>()
  #runningCount = 0
  #waitingCount = 0
  #isClosed = false

  constructor(limits: AdmissionLimits, nowMs: () => number) {
    this.#limits = limits
    this.#nowMs = nowMs
    this.#share = Math.max(1, Math.floor(limits.places / 2))
    this.#reservedForSmall = Math.floor(limits.places / 4)
  }

  /**
   * Waits for a place.
   * @throws `too-many-reports` if the login has used up its own share, `engine-busy` if other logins use all places,
   * `shutting-down`, or the reason of the signal
   */
  async enter(login: string, signal: AbortSignal): Promise<Place> {
    signal.throwIfAborted()
    if (this.#isClosed) throw closed()
    const { promise, resolve, reject } = Promise.withResolvers<Place>()
    const settle = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      this.#remove(waiter)
    }
    const waiter: Waiter = {
      login,
      signal,
      take: (place) => {
        settle()
        resolve(place)
      },
      leave: (error) => {
        settle()
        reject(error)
      },
    }
    const onAbort = (): void => waiter.leave(signal.reason)
    const timer = setTimeout(() => waiter.leave(this.#refusal(login)), this.#limits.queueWaitMs)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.set(login, [...(this.#waiting.get(login) ?? []), waiter])
    this.#waitingCount += 1
    this.#admit()
    if (this.#waitingCount > this.#limits.queueLength) this.#displace(login)
    return await promise
  }

  /** How many reports run, and how many wait for a place. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#runningCount, waiting: this.#waitingCount }
  }

  /** Refuses all waiting and later reports. */
  close(): void {
    this.#isClosed = true
    for (const waiter of [...this.#waiting.values()].flat()) waiter.leave(closed())
  }

  /** Gives free places to waiting logins in turn. */
  #admit(): void {
    for (;;) {
      const next = [...this.#waiting.keys()].find((login) => this.#mayRun(login))
      const waiter = next === undefined ? undefined : this.#waiting.get(next)?.[0]
      if (waiter === undefined) return
      waiter.take(this.#begin(waiter))
      // The login's next turn comes after all other logins.
      const others = this.#waiting.get(waiter.login)
      this.#waiting.delete(waiter.login)
      if (others) this.#waiting.set(waiter.login, others)
    }
  }

  #mayRun(login: string): boolean {
    const free = this.#limits.places - this.#runningCount
    const own = this.#running.get(login)
    if (free === 0 || (own?.size ?? 0) >= this.#share) return false
    return (
      free > this.#reservedForSmall || ![...(own ?? [])].some((report) => this.#isLarge(report))
    )
  }

  #isLarge({ bytes, startedAtMs }: Running): boolean {
    const { smallReportBytesMax, smallReportMsMax } = LIMITS
    return bytes > smallReportBytesMax || this.#nowMs() - startedAtMs > smallReportMsMax
  }

  #begin({ login, signal }: Waiter): Place {
    const report: Running = { startedAtMs: this.#nowMs(), bytes: 0 }
    const own = this.#running.get(login) ?? new Set()
    this.#running.set(login, own.add(report))
    this.#runningCount += 1
    const free = (): void => {
      if (!own.delete(report)) return
      if (own.size === 0) this.#running.delete(login)
      this.#runningCount -= 1
      this.#admit()
    }
    return {
      count: (bytes) => {
        report.bytes += bytes
      },
      leave: () => {
        if (signal.aborted) setTimeout(free, LIMITS.abandonedPlaceMs).unref()
        else free()
      },
    }
  }

  /** Removes a report from an overfull queue, after a report of `login` joined it. */
  #displace(login: string): void {
    const queues = [...this.#waiting.values()]
    const longest = queues.reduce((one, other) => (other.length > one.length ? other : one))
    const own = this.#waiting.get(login) ?? []
    const displaced = longest.length > own.length ? longest.at(-1) : own.at(-1)
    displaced?.leave(this.#refusal(displaced.login))
  }

  /** Makes the error for a report that gets no place. It says whether the login's own reports are the reason. */
  #refusal(login: string): GatewayError {
    const running = this.#running.get(login)?.size ?? 0
    const advice = `Sign again and retry in ${LIMITS.retryAfterSeconds} seconds.`
    if (running < this.#share) {
      return new GatewayError('engine-busy', `Too many reports are running. ${advice}`)
    }
    const own = running + (this.#waiting.get(login)?.length ?? 0)
    const reports = this.#share === 1 ? '1 report' : `${this.#share} reports`
    const share = `A login runs at most ${reports} at once, and yours has ${own} running or waiting.`
    return new GatewayError('too-many-reports', `${share} ${advice}`)
  }

  #remove(waiter: Waiter): void {
    const others = (this.#waiting.get(waiter.login) ?? []).filter((other) => other !== waiter)
    this.#waitingCount -= 1
    if (others.length > 0) this.#waiting.set(waiter.login, others)
    else this.#waiting.delete(waiter.login)
  }
}

function closed(): GatewayError {
  return new GatewayError('shutting-down', 'The gateway is shutting down.')
}
