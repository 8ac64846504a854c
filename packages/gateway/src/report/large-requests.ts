import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'

/**
 * Spaces out the large requests of each login. Parsing such a request keeps the main thread busy for 0.1 s, so a login
 * that sends them as fast as it can would delay all others.
 */
export class LargeRequests {
  readonly #nowMs: () => number
  /** By login: when its next large request may go on. Only logins that have sent one have an entry. */
  readonly #nextMs = new Map<string, number>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /**
   * Waits for the login's turn if the request is large.
   * @throws `too-many-reports` if the turn is too far away, or the reason of the signal
   */
  async wait(login: string, body: Uint8Array, signal: AbortSignal): Promise<void> {
    if (body.length <= LIMITS.largeRequestBytesMin) return
    const nowMs = this.#nowMs()
    const turnMs = Math.max(nowMs, this.#nextMs.get(login) ?? 0)
    if (turnMs - nowMs > LIMITS.largeRequestWaitMs) {
      const size = `${LIMITS.largeRequestBytesMin / 1024} KiB`
      const advice = `Sign again and retry in ${LIMITS.retryAfterSeconds} seconds.`
      const message = `Your login sends too many requests of more than ${size}. ${advice}`
      throw new GatewayError('too-many-reports', message)
    }
    this.#nextMs.set(login, turnMs + LIMITS.largeRequestRestMs)
    if (turnMs > nowMs) await new Promise((resolve) => setTimeout(resolve, turnMs - nowMs))
    signal.throwIfAborted()
  }
}
