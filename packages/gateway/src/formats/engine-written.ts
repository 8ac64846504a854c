import type { EngineChunk } from '../engine/engine.ts'

/** Puts bytes before the rows that the engine writes. Without rows, the file consists of these bytes. */
export async function* afterHead(
  head: Uint8Array,
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<EngineChunk, void> {
  let unsent = head.length > 0
  for await (const chunk of chunks) {
    // This is inside the loop, so that `chunks` ends too if the reader leaves here.
    if (unsent) yield { bytes: head, rows: 0 }
    unsent = false
    yield chunk
  }
  if (unsent) yield { bytes: head, rows: 0 }
}
