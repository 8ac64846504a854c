import { GatewayError } from '../errors.ts'

/** How many users may wait for a session, and for how long. */
export interface QueueLimits {
  readonly queueLength: number
  readonly queueWaitMs: number
}

interface Waiter<Session> {
  readonly take: (session: Session) => void
  readonly leave: (error: unknown) => void
}

/** Lends sessions, each to one user at a time, first come, first served. */
export class SessionPool<Session> {
  readonly #idle: Session[]
  readonly #waiting = new Set<Waiter<Session>>()
  readonly #limits: QueueLimits
  #closed = false

  constructor(sessions: readonly Session[], limits: QueueLimits) {
    this.#idle = [...sessions]
    this.#limits = limits
  }

  /**
   * Waits for a session.
   *
   * @throws {GatewayError} `engine-busy` if the queue is full or the wait too long, `shutting-down` after `close`; or
   *   the reason of the signal
   */
  async acquire(signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted()
    if (this.#closed) throw new GatewayError('shutting-down', 'The engine is closing.')
    const idle = this.#idle.pop()
    if (idle !== undefined) return idle
    if (this.#waiting.size >= this.#limits.queueLength) {
      throw busy('Too many queries are waiting for the engine.')
    }
    return await this.#wait(signal)
  }

  /** Takes a session back, and lends it to the next user who waits. */
  release(session: Session): void {
    const [next] = this.#waiting
    if (next === undefined) this.#idle.push(session)
    else next.take(session)
  }

  /** Refuses the waiting users, and all later ones. */
  close(): void {
    this.#closed = true
    for (const waiter of this.#waiting) {
      waiter.leave(new GatewayError('shutting-down', 'The engine is closing.'))
    }
  }

  #wait(signal: AbortSignal): Promise<Session> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#waiting.delete(waiter)
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const waiter: Waiter<Session> = {
        take: (session) => {
          settle()
          resolve(session)
        },
        leave: (error) => {
          settle()
          reject(error)
        },
      }
      const onAbort = (): void => waiter.leave(signal.reason)
      const { queueWaitMs } = this.#limits
      const timer = setTimeout(() => {
        waiter.leave(busy(`The engine was busy for ${queueWaitMs / 1000} s.`))
      }, queueWaitMs)
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.add(waiter)
    })
  }
}

function busy(reason: string): GatewayError {
  return new GatewayError('engine-busy', `${reason} Retry later.`)
}
