import type { ServerResponse } from 'node:http'

/** The signed requests that are on their way, and which of them have arrived in full. */
export class RunningReports {
  readonly #controllers = new Map<ServerResponse, AbortController>()
  readonly #running = new Set<ServerResponse>()
  readonly #waiting: (() => void)[] = []

  /** Returns a signal that aborts when the connection is done with the response, as it may be already. */
  watch(response: ServerResponse): AbortSignal {
    const controller = new AbortController()
    if (response.destroyed) {
      controller.abort()
      return controller.signal
    }
    this.#controllers.set(response, controller)
    response.once('close', () => {
      this.#controllers.delete(response)
      this.#running.delete(response)
      controller.abort()
      if (this.#running.size === 0) for (const resolve of this.#waiting.splice(0)) resolve()
    })
    return controller.signal
  }

  /** Notes that the request has arrived in full: a closing server waits for its response. */
  begin(response: ServerResponse): void {
    if (this.#controllers.has(response)) this.#running.add(response)
  }

  /** Waits until no response is left to wait for. */
  async whenNone(): Promise<void> {
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Ends all requests. */
  abort(): void {
    for (const controller of this.#controllers.values()) controller.abort()
  }
}
