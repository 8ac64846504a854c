import { createHash } from 'node:crypto'
import type { EngineChunk } from '../engine/engine.ts'
import type { ReportTotals } from '../outcome.ts'

/** Passes on a report's head and chunks unchanged, and returns their digest and the number of rows. */
export async function* proveComplete(
  head: Uint8Array,
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<Uint8Array, ReportTotals> {
  const digest = createHash('sha256')
  let rows = 0
  let unsent = head.length > 0
  if (unsent) digest.update(head)
  for await (const { bytes, rows: rowsOfChunk } of chunks) {
    // This is inside the loop, so that `chunks` ends too if the reader leaves here.
    if (unsent) yield head
    unsent = false
    digest.update(bytes)
    rows += rowsOfChunk
    yield bytes
  }
  if (unsent) yield head
  return { rows, sha256: digest.digest('base64') }
}
