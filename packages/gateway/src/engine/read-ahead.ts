import type { GatewayError } from '../errors.ts'
import type { EngineChunk } from './engine.ts'

/** What the reading of a result needs from its engine. */
interface Reading {
  /** Converts an error of the engine to a `GatewayError`. */
  readonly failure: (error: unknown) => GatewayError
  /** Records that a reader has started. */
  readonly begin: () => void
  /** Kills the query in the engine. */
  readonly kill: () => void
  /** Releases the query's session and its turn. */
  readonly finish: (isComplete: boolean) => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Yields chunks and always requests the next one ahead: the engine computes it while the gateway hashes and sends the
 * last one.
 */
export async function* readAhead(
  first: EngineChunk | undefined,
  read: (bytes: number) => Promise<EngineChunk | undefined>,
  reading: Reading,
): AsyncGenerator<EngineChunk, void> {
  // Do not read a killed query: another query may already use its session.
  reading.signal.throwIfAborted()
  reading.begin()
  let next: Promise<EngineChunk | undefined> | undefined
  let chunk = first
  let bytes = 0
  try {
    while (chunk !== undefined) {
      bytes += chunk.bytes.byteLength
      next = read(bytes)
      // If the reader leaves between two chunks, nothing else handles this error.
      next.catch(() => {})
      yield chunk
      chunk = await next
      next = undefined
    }
  } catch (error) {
    reading.signal.throwIfAborted()
    throw reading.failure(error)
  } finally {
    if (next !== undefined) {
      reading.kill()
      await next.catch(() => {})
    }
    await reading.finish(chunk === undefined)
  }
}
