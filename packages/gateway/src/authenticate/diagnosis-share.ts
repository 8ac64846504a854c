import { LIMITS } from '../limits.ts'

/**
 * Limits how much of the main thread the diagnosis of refused requests takes. A diagnosis takes about 10 ms and comes
 * before authentication, so one runs at a time, and a flood of refused requests gets a few each second.
 */
export class DiagnosisShare {
  readonly #nowMs: () => number
  #left: number = LIMITS.diagnosesMax
  #countedAtMs: number
  #isBusy = false

  /**
   * @param nowMs a clock that never goes back
   */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
    this.#countedAtMs = nowMs()
  }

  /** Runs a diagnosis. Returns undefined without running it if another one runs, or if the share is used up. */
  async run<T>(diagnosis: () => Promise<T>): Promise<T | undefined> {
    this.#refill()
    if (this.#isBusy || this.#left < 1) return undefined
    this.#left -= 1
    this.#isBusy = true
    try {
      return await diagnosis()
    } finally {
      this.#isBusy = false
    }
  }

  #refill(): void {
    const nowMs = this.#nowMs()
    const more = ((nowMs - this.#countedAtMs) / 1000) * LIMITS.diagnosesPerSecondMax
    this.#left = Math.min(LIMITS.diagnosesMax, this.#left + more)
    this.#countedAtMs = nowMs
  }
}
