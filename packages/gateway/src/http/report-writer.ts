import type { ServerResponse } from 'node:http'
import { LIMITS } from '../limits.ts'
import { ReaderPace } from './reader-pace.ts'

/**
 * Writes the chunks of a report to a response. A reader that takes them too slowly (`ReaderPace`) is cut off.
 *
 * @example
 * const writer = new ReportWriter(response)
 * for await (const chunk of chunks) await writer.write(chunk)
 * await writer.flush()
 */
export class ReportWriter {
  readonly #response: ServerResponse
  readonly #closed: Promise<void>
  readonly #pace = new ReaderPace()
  /** The sizes of the chunks that the reader has not taken yet. */
  readonly #unsent: number[] = []
  #unsentBytes = 0
  #onSent = (): void => {}

  constructor(response: ServerResponse) {
    this.#response = response
    this.#closed = new Promise((resolve) => response.once('close', resolve))
  }

  /** Writes a chunk, whose memory is given away; resolves when fewer than `LIMITS.unsentBytesMax` wait for the reader. */
  async write(chunk: Uint8Array): Promise<void> {
    const { buffer, byteLength } = chunk
    this.#unsent.push(byteLength)
    this.#unsentBytes += byteLength
    this.#response.write(chunk, () => {
      free(buffer)
      this.#unsentBytes -= this.#unsent.shift() ?? 0
      this.#onSent()
    })
    while (this.#unsentBytes >= LIMITS.unsentBytesMax && !this.#response.destroyed) {
      await this.#oldestSent()
    }
  }

  /** Resolves when the reader has taken every chunk, or the response is closed. */
  async flush(): Promise<void> {
    while (this.#unsent.length > 0 && !this.#response.destroyed) await this.#oldestSent()
  }

  async #oldestSent(): Promise<void> {
    const bytes = this.#unsent[0] ?? 0
    const startedAt = performance.now()
    const timer = setTimeout(() => this.#response.destroy(), this.#pace.restMs(bytes))
    const sent = new Promise<void>((resolve) => {
      this.#onSent = resolve
    })
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
  try {
    if (buffer instanceof ArrayBuffer) buffer.transfer(0)
  } catch {
    // A small one may lie in a pool of Node's, which is not given away.
  }
}
