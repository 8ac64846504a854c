import { GatewayError, type ProblemCode } from './errors.ts'
import { LIMITS } from './limits.ts'

/** How much work may run and wait. */
export interface QueueLimits {
  /** Work that runs at the same time. */
  readonly places: number
  /** Work of one login that runs at the same time. */
  readonly perLogin: number
  /** Work of one login that waits for a place. */
  readonly waitingMax: number
  /** How long work waits for a place. */
  readonly waitMs: number
  /** After its work, a login rests `times` as long as the work took, and at most `msMax`. */
  readonly rest?: { readonly times: number; readonly msMax: number }
  /** The error of callers who wait for the work of other logins. */
  readonly busy: { readonly code: ProblemCode; readonly message: string }
}

/** The name under which the work of unauthenticated callers queues. No login has it. */
export const STRANGERS = ''

/** Frees a place. Later calls do nothing. */
export type Leave = () => void

interface Login {
  running: number
  isResting: boolean
  readonly waiting: Waiter[]
}

interface Waiter {
  readonly take: (leave: Leave) => void
  readonly refuse: (error: unknown) => void
}

/**
 * Decides whose work runs next, so that no login starves another (docs/decisions/0025-a-share-for-each-login.md):
 *
 * - Waiting logins take turns.
 * - A login has a maximum of running work and a maximum of waiting work.
 * - The last quarter of the places is for logins that run nothing.
 *
 * @example
 * const report = await queue.run('merchant', () => makeReport(), signal)
 */
export class FairQueue {
  readonly #limits: QueueLimits
  /** The logins with work, in the order of their turns. */
  readonly #logins = new Map<string, Login>()
  #running = 0
  #waiting = 0
  #isClosed = false

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** How much work runs, and how much waits. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting }
  }

  /**
   * Runs work in a place of the login.
   * @throws the errors of `enter` and of the work
   */
  async run<T>(login: string, work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.enter(login, signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /**
   * Waits for a place. The caller must call the returned function when its work has ended.
   * @throws `too-many-reports` if the login has used up its own share, the queue's `busy` if others use all places,
   * `shutting-down`, or the reason of the signal
   */
  async enter(login: string, signal?: AbortSignal): Promise<Leave> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw closed()
    const { promise, resolve, reject } = Promise.withResolvers<Leave>()
    const own = this.#logins.get(login) ?? { running: 0, isResting: false, waiting: [] }
    // A login that begins to wait waits behind all that wait already.
    if (own.waiting.length === 0) this.#logins.delete(login)
    this.#logins.set(login, own)
    const settle = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      own.waiting.splice(own.waiting.indexOf(waiter), 1)
      this.#waiting -= 1
    }
    const waiter: Waiter = {
      take: (leave) => {
        settle()
        resolve(leave)
      },
      refuse: (error) => {
        settle()
        this.#forgetIdle(login, own)
        reject(error)
      },
    }
    const onAbort = (): void => waiter.refuse(signal?.reason)
    const timer = setTimeout(() => waiter.refuse(this.#refusal(own)), this.#limits.waitMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    own.waiting.push(waiter)
    this.#waiting += 1
    this.#admit()
    if (own.waiting.length > this.#limits.waitingMax) waiter.refuse(this.#refusal(own))
    return await promise
  }

  /** Refuses all waiting and later work. */
  close(): void {
    this.#isClosed = true
    const waiters = [...this.#logins.values()].flatMap(({ waiting }) => waiting)
    for (const waiter of waiters) waiter.refuse(closed())
  }

  /** Gives free places to waiting logins in turn. */
  #admit(): void {
    for (const [login, own] of this.#logins) {
      const [waiter] = own.waiting
      if (!waiter || !this.#mayRun(own)) continue
      // The login's next turn comes after all other logins, also in this loop.
      this.#logins.delete(login)
      this.#logins.set(login, own)
      waiter.take(this.#begin(login, own))
    }
  }

  #mayRun({ running, isResting }: Login): boolean {
    const { places, perLogin } = this.#limits
    const free = places - this.#running
    if (free === 0 || isResting || running >= perLogin) return false
    return running === 0 || free > Math.floor(places / 4)
  }

  #begin(login: string, own: Login): Leave {
    const { rest } = this.#limits
    const startedAt = performance.now()
    own.running += 1
    this.#running += 1
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      own.running -= 1
      this.#running -= 1
      const tookMs = performance.now() - startedAt
      if (rest) this.#rest(login, own, Math.min(rest.times * tookMs, rest.msMax))
      this.#forgetIdle(login, own)
      this.#admit()
    }
  }

  #rest(login: string, own: Login, ms: number): void {
    own.isResting = true
    const timer = setTimeout(() => {
      own.isResting = false
      this.#forgetIdle(login, own)
      this.#admit()
    }, ms)
    timer.unref()
  }

  #forgetIdle(login: string, { running, isResting, waiting }: Login): void {
    if (running === 0 && !isResting && waiting.length === 0) this.#logins.delete(login)
  }

  /** Makes the error for work that gets no place. It says whether the login's own work is the reason. */
  #refusal({ running, isResting, waiting }: Login): GatewayError {
    const { perLogin, busy } = this.#limits
    const advice = `Sign again and retry in ${LIMITS.retryAfterSeconds} seconds.`
    if (running < perLogin && !isResting) {
      return new GatewayError(busy.code, `${busy.message} ${advice}`)
    }
    const share = `A login runs at most ${perLogin} of these requests at once`
    const own = `yours has ${running + waiting.length} running or waiting`
    return new GatewayError('too-many-reports', `${share}, and ${own}. ${advice}`)
  }
}

function closed(): GatewayError {
  return new GatewayError('shutting-down', 'The gateway is shutting down.')
}
