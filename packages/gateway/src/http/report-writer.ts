import type { ServerResponse } from 'node:http'
import { LIMITS } from '../limits.ts'
import { ReaderPace } from './reader-pace.ts'

/** Bytes of all reports that wait for their readers in the gateway's memory. */
export interface UnsentBytes {
  ofAll: number
}

/**
 * Writes the chunks of a report to a response. A reader that takes them too slowly (`ReaderPace`) is cut off.
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
    // Node forgets the callbacks of pieces that wait when a connection breaks.
    response.once('close', () => {
      this.#unsent.length = 0
      this.#count(-this.#unsentBytes)
    })
  }

  /**
   * Writes a chunk, whose memory is given away; resolves when there is room for the next one. A large chunk goes out in
   * pieces, so that a slow reader is seen to take some of it.
   */
  async write(chunk: Uint8Array): Promise<void> {
    const { buffer, byteLength } = chunk
    const { unsentBytesMax } = LIMITS
    for (let from = 0; from < byteLength && !this.#response.destroyed; from += unsentBytesMax) {
      const to = Math.min(byteLength, from + unsentBytesMax)
      this.#unsent.push(to - from)
      this.#count(to - from)
      this.#response.write(chunk.subarray(from, to), () => {
        if (to === byteLength) free(buffer)
        this.#count(-(this.#unsent.shift() ?? 0))
        this.#onSent()
      })
      while (this.#isFull() && !this.#response.destroyed) await this.#oldestSent()
    }
  }

  /** Resolves when so little is left that `endUnread` gives a reader at the least rate the time for it. */
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

/**
 * Gives a sent chunk's memory back at once. Left to the garbage collector, a report's chunks make it walk the whole
 * heap again and again: measured, a third of all the time that a large report takes.
 */
function free(buffer: ArrayBufferLike): void {
  // A small chunk may lie in a pool of Node's, which others use too.
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
