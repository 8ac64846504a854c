import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'

/**
 * Spaces out the large requests of each login. Reading one keeps the gateway's only thread busy for a tenth of a
 * second, so a login that sends them as fast as it can would hold up everybody.
 */
export class LargeRequests {
  readonly #nowMs: () => number
  /** When the next one of a login may go on. One entry for each login that has sent one. */
  readonly #nextMs = new Map<string, number>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /**
   * Waits for a login's turn where its request is large.
   * @throws `too-many-reports` when the turn is too far away, or the reason of the signal
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
