import { createHash } from 'node:crypto'
import type { EngineChunk } from '../engine/engine.ts'
import type { ReportTotals } from '../outcome.ts'

/** Passes a report's head and bytes on untouched, and returns what proves them complete: their digest and the count of rows. */
export async function* proveComplete(
  head: Uint8Array,
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<Uint8Array, ReportTotals> {
  const digest = createHash('sha256')
  let rows = 0
  let unsent = head.length > 0
  if (unsent) digest.update(head)
  for await (const { bytes, rows: rowsOfChunk } of chunks) {
    // Inside the loop, so that a reader who leaves here ends the chunks too.
    if (unsent) yield head
    unsent = false
    digest.update(bytes)
    rows += rowsOfChunk
    yield bytes
  }
  if (unsent) yield head
  return { rows, sha256: digest.digest('base64') }
}
