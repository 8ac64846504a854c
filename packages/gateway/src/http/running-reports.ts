import type { ServerResponse } from 'node:http'

/** The reports that are being answered. */
export class RunningReports {
  readonly #running = new Set<AbortController>()
  readonly #waiting: (() => void)[] = []

  /** Notes a report until its connection is done with it, as it may be already; the signal tells the report of that. */
  begin(response: ServerResponse): AbortSignal {
    const controller = new AbortController()
    if (response.destroyed) {
      controller.abort()
      return controller.signal
    }
    this.#running.add(controller)
    response.once('close', () => {
      this.#running.delete(controller)
      controller.abort()
      if (this.#running.size === 0) for (const resolve of this.#waiting.splice(0)) resolve()
    })
    return controller.signal
  }

  /** Waits until none runs. */
  async whenNone(): Promise<void> {
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Ends those that run. */
  abort(): void {
    for (const controller of this.#running) controller.abort()
  }
}
