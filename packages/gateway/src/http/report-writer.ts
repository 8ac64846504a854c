import type { ServerResponse } from 'node:http'
import { freeMemory } from '../free-memory.ts'
import { LIMITS } from '../limits.ts'
import { ReaderPace } from './reader-pace.ts'

/** Bytes in memory that the readers of all reports have not taken yet. */
export interface UnsentBytes {
  ofAll: number
}

/**
 * Writes the chunks of a report to a response. Closes the connection of a reader that is too slow (`ReaderPace`).
 *
 * @example
 * const writer = new ReportWriter(response, { ofAll: 0 })
 * for await (const chunk of chunks) await writer.write(chunk)
 * await writer.flush()
 */
export class ReportWriter {
  readonly #response: ServerResponse
  readonly #closed: Promise<void>
  readonly #pace = new ReaderPace()
  /** The sizes of the pieces that the reader has not taken yet. */
  readonly #unsent: number[] = []
  readonly #total: UnsentBytes
  #unsentBytes = 0
  #onSent = (): void => {}

  constructor(response: ServerResponse, total: UnsentBytes) {
    this.#response = response
    this.#total = total
    this.#closed = new Promise((resolve) => response.once('close', resolve))
    // When a connection breaks, Node does not call the callbacks of unsent pieces.
    response.once('close', () => {
      this.#unsent.length = 0
      this.#count(-this.#unsentBytes)
    })
  }

  /**
   * Writes a chunk, and resolves when there is room for the next one. The caller must not use the chunk again: its
   * memory is freed. A large chunk is sent in pieces, so that the progress of a slow reader is visible.
   */
  async write(chunk: Uint8Array): Promise<void> {
    const { buffer, byteLength } = chunk
    const { unsentBytesMax } = LIMITS
    for (let from = 0; from < byteLength && !this.#response.destroyed; from += unsentBytesMax) {
      const to = Math.min(byteLength, from + unsentBytesMax)
      this.#unsent.push(to - from)
      this.#count(to - from)
      this.#response.write(chunk.subarray(from, to), () => {
        if (to === byteLength) freeMemory(buffer)
        this.#count(-(this.#unsent.shift() ?? 0))
        this.#onSent()
      })
      while (this.#isFull() && !this.#response.destroyed) await this.#oldestSent()
    }
  }

  /** Resolves when a reader at the minimum rate can take the unsent bytes within the time-out of `endUnread`. */
  async flush(): Promise<void> {
    const { readerBytesPerSecondMin, replyTimeoutMs } = LIMITS
    const littleBytes = readerBytesPerSecondMin * (replyTimeoutMs / 1000)
    while (this.#unsentBytes > littleBytes && !this.#response.destroyed) await this.#oldestSent()
  }

  #isFull(): boolean {
    if (this.#unsentBytes >= LIMITS.unsentBytesMax) return true
    return this.#unsentBytes > 0 && this.#total.ofAll >= LIMITS.unsentBytesOfAllMax
  }

  #count(bytes: number): void {
    this.#unsentBytes += bytes
    this.#total.ofAll += bytes
  }

  async #oldestSent(): Promise<void> {
    const bytes = this.#unsent[0] ?? 0
    const startedAt = performance.now()
    const sent = new Promise<void>((resolve) => {
      this.#onSent = resolve
    })
    const timer = setTimeout(() => {
      this.#response.destroy()
      this.#onSent()
    }, this.#pace.restMs(bytes))
    await Promise.race([sent, this.#closed])
    clearTimeout(timer)
    this.#pace.note(bytes, performance.now() - startedAt)
  }
}
