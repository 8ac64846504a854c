import type { EngineChunk } from '../engine/engine.ts'
import type { Place } from './admission.ts'

/**
 * Passes on a report's chunks while the report holds its place, and counts their bytes. Frees the place when the engine
 * has ended the query, or when `signal` aborts before the first chunk is read.
 */
export function holdPlace(
  place: Place,
  chunks: AsyncGenerator<EngineChunk, void>,
  signal: AbortSignal,
): AsyncGenerator<EngineChunk, void> {
  signal.addEventListener('abort', place.leave, { once: true })
  return pass(place, chunks, signal)
}

async function* pass(
  place: Place,
  chunks: AsyncGenerator<EngineChunk, void>,
  signal: AbortSignal,
): AsyncGenerator<EngineChunk, void> {
  // From here on, the report holds its place until the query has ended: an aborted query still uses the engine.
  signal.removeEventListener('abort', place.leave)
  try {
    for await (const chunk of chunks) {
      place.count(chunk.bytes.length)
      yield chunk
    }
  } finally {
    place.leave()
  }
}
