import { setImmediate } from 'node:timers/promises'

/** How long a report may keep other requests waiting, in addition to the step that it takes. */
const TURN_MS = 10

/** The bytes that a report handles in one step. Encoding them takes about 4 ms. */
export const SLICE_BYTES = 256 * 1024

/** When the newest turn that was asked for begins. */
let lastBegins: Promise<void> = Promise.resolve()

/**
 * The time in which a report has the main thread. The gateway answers other requests between two turns, also between
 * those of two reports: one turn begins in each round of the event loop.
 */
export class Turn {
  readonly #now: () => number
  #startedAt: number

  /**
   * @param now a clock in milliseconds
   */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#startedAt = now()
  }

  /** Whether the turn is over, so that the report must wait for the next one. */
  get isOver(): boolean {
    return this.#now() - this.#startedAt >= TURN_MS
  }

  /** Lets the gateway do other work, and begins the next turn. */
  async next(): Promise<void> {
    lastBegins = lastBegins.then(async () => await setImmediate())
    await lastBegins
    this.#startedAt = this.#now()
  }

  /** Yields bytes in slices, which share their memory. Waits for the next turn between two slices. */
  async *slicesOf(bytes: Uint8Array): AsyncGenerator<Buffer, void> {
    const { buffer, byteOffset, byteLength } = bytes
    for (let from = 0; from < byteLength; from += SLICE_BYTES) {
      if (this.isOver) await this.next()
      yield Buffer.from(buffer, byteOffset + from, Math.min(SLICE_BYTES, byteLength - from))
    }
  }
}

// Smaller buffers cost little, and some are constants.
const FREED_BYTES_MIN = 32 * 1024

/**
 * Frees the memory of bytes that nobody needs any more. Without this, the garbage collector walks the complete heap
 * again and again. That took a third of the time of a large report when we measured it.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  // Other bytes may share the rest of the memory.
  const isWhole = byteLength === buffer.byteLength
  if (isWhole && byteLength >= FREED_BYTES_MIN && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
