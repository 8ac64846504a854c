import { LIMITS } from '../limits.ts'

/** How far the reader of a report has fallen behind the least rate, `LIMITS.readerBytesPerSecondMin`. */
export class ReaderPace {
  #behindMs = 0

  /** How long the reader may take for bytes that were just written; a reader that takes longer is cut off. */
  restMs(bytes: number): number {
    const { stalledReaderMs } = LIMITS
    return Math.min(stalledReaderMs, stalledReaderMs - this.#behindMs + allowedMs(bytes))
  }

  /** Notes how long the reader took. A fast reader catches up, and saves nothing for later. */
  note(bytes: number, tookMs: number): void {
    this.#behindMs = Math.max(0, this.#behindMs + tookMs - allowedMs(bytes))
  }
}

function allowedMs(bytes: number): number {
  return (bytes / LIMITS.readerBytesPerSecondMin) * 1000
}
