import type { EngineChunk } from '@counterfoil/engine'
import { freeMemory, Turn } from '@counterfoil/common'
import { createPieceEncoder } from './encode-text.ts'
import type { Encoding } from './encodings.ts'
import type { FilePiece } from '../format/format.ts'

/**
 * Encodes the pieces of a file, which are UTF-8, and counts the characters that the encoding lacks. Other requests have
 * their turn in a large piece.
 *
 * @param refuses whether such a character ends the report with an error
 */
export function encodePieces(
  pieces: AsyncIterable<EngineChunk>,
  encoding: Encoding,
  refuses: boolean,
): AsyncIterable<FilePiece> {
  return encoding.name === 'UTF-8' ? pieces : encodeAll(pieces, encoding, refuses)
}

async function* encodeAll(
  pieces: AsyncIterable<EngineChunk>,
  encoding: Encoding,
  refuses: boolean,
): AsyncGenerator<FilePiece, void> {
  const encode = createPieceEncoder(encoding)
  const turn = new Turn()
  const piece = (utf8: Uint8Array | undefined, rows: number): FilePiece => {
    const { bytes, replaced } = encode(utf8)
    if (refuses && replaced > 0) {
      throw new Error(
        `The ledger changed: its rows now have characters that ${encoding.name} lacks.`,
      )
    }
    // A slice shares the memory of its chunk.
    return { bytes: bytes === utf8 ? Uint8Array.from(bytes) : bytes, replaced, rows }
  }
  for await (const { bytes, rows } of pieces) {
    let uncounted = rows
    for await (const slice of turn.slicesOf(bytes)) {
      yield piece(slice, uncounted)
      uncounted = 0
    }
    freeMemory(bytes.buffer)
    if (uncounted > 0) yield { bytes: new Uint8Array(), rows: uncounted }
  }
  const last = piece(undefined, 0)
  if (last.bytes.length > 0) yield last
}
