import { LIMITS } from '../limits.ts'

/** Measures how far the reader of a report has fallen behind the minimum rate, `LIMITS.readerBytesPerSecondMin`. */
export class ReaderPace {
  #behindMs = 0

  /** Returns how long the reader may take for bytes that were just written. */
  restMs(bytes: number): number {
    const { stalledReaderMs } = LIMITS
    return Math.min(stalledReaderMs, stalledReaderMs - this.#behindMs + allowedMs(bytes))
  }

  /** Records how long the reader took. A fast reader catches up, but saves no time for later. */
  note(bytes: number, tookMs: number): void {
    this.#behindMs = Math.max(0, this.#behindMs + tookMs - allowedMs(bytes))
  }
}

function allowedMs(bytes: number): number {
  return (bytes / LIMITS.readerBytesPerSecondMin) * 1000
}
