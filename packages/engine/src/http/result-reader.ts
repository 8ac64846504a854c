import type { IncomingMessage } from 'node:http'
import { LIMITS } from '@counterfoil/common'
import type { EngineChunk } from '../engine/engine.ts'
import type { ResultFrame } from './result-frame.ts'

const EMPTY = Buffer.alloc(0)

/**
 * Reads the result of a query from a response. A server can fail after its status 200. It then writes an exception
 * into the body, or closes the connection. The reader throws in both cases, and passes no byte of the exception on.
 */
export class ResultReader {
  readonly #pieces: AsyncIterator<Buffer>
  readonly #frame: ResultFrame
  /** The bytes before an exception. */
  readonly #mark: Buffer
  /** The last bytes so far: they may be the beginning of an exception or of the trailer. */
  #held: Buffer = EMPTY
  #isOver = false
  #isDiscarded = false

  /** @param tag the text that marks an exception in this response */
  constructor(response: IncomingMessage, tag: string, frame: ResultFrame) {
    this.#pieces = response[Symbol.asyncIterator]()
    this.#frame = frame
    this.#mark = Buffer.from(`__exception__\r\n${tag}`)
  }

  /** Whether the response has ended, and its query too. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Reads the next chunk. Resolves with `undefined` at the end of a complete result. */
  async next(): Promise<EngineChunk | undefined> {
    while (!this.#isOver) {
      const piece = await this.#read()
      if (this.#isDiscarded) break
      const chunk = piece === undefined ? this.#end() : await this.#take(piece)
      if (chunk.bytes.length > 0 || chunk.rows > 0) return chunk
    }
    if (this.#isDiscarded) throw new Error('The query was killed.')
    return undefined
  }

  /** Reads the rest of the response and drops it, so that the server can end the query. */
  async discard(): Promise<void> {
    this.#isDiscarded = true
    try {
      while ((await this.#read()) !== undefined);
    } catch {
      // The connection is closed.
    }
  }

  async #read(): Promise<Buffer | undefined> {
    try {
      const { done, value } = await this.#pieces.next()
      if (done !== true) return value
    } catch (error) {
      this.#isOver = true
      throw error
    }
    this.#isOver = true
    return undefined
  }

  async #take(piece: Buffer): Promise<EngineChunk> {
    const bytes = Buffer.allocUnsafeSlow(this.#held.length + piece.length)
    bytes.set(this.#held)
    bytes.set(piece, this.#held.length)
    const at = bytes.indexOf(this.#mark)
    if (at >= 0) throw await this.#readException(bytes.subarray(at + this.#mark.length))
    const keep = Math.max(this.#mark.length, this.#frame.trailerBytesMax)
    const length = Math.max(0, bytes.length - keep)
    this.#held = withOwnMemory(bytes.subarray(length))
    const passed = bytes.subarray(0, length)
    return { bytes: passed, rows: this.#frame.countRows(passed) }
  }

  #end(): EngineChunk {
    const end = this.#frame.readEnd(this.#held)
    if (end === undefined) throw new Error('The result ended without its trailer.')
    const bytes = this.#held.subarray(0, end.length)
    return { bytes, rows: this.#frame.countRows(bytes) + end.rows }
  }

  async #readException(start: Buffer): Promise<Error> {
    let text = start.toString()
    let piece: Buffer | undefined
    const read = async () => await this.#read().catch(() => undefined)
    while ((piece = await read()) !== undefined) {
      if (text.length < LIMITS.serverErrorLengthMax) text += piece.toString()
    }
    return new Error(text.trim())
  }
}

/** Copies bytes. The reader of a chunk may give the chunk's memory away. */
function withOwnMemory(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}
