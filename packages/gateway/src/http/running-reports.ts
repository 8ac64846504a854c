import type { ServerResponse } from 'node:http'

/** Tracks the signed requests that are in progress, and which of them are received completely. */
export class RunningReports {
  readonly #controllers = new Map<ServerResponse, AbortController>()
  readonly #running = new Set<ServerResponse>()
  readonly #waiting: (() => void)[] = []

  /** Returns a signal that aborts when the response closes. The signal is aborted already if the response is. */
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

  /** Records that the request is received completely. A closing server then waits for its response. */
  begin(response: ServerResponse): void {
    if (this.#controllers.has(response)) this.#running.add(response)
  }

  /** Resolves when no response of a received request is open. */
  async whenNone(): Promise<void> {
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Aborts all requests. */
  abort(): void {
    for (const controller of this.#controllers.values()) controller.abort()
  }
}
