import type { EngineChunk } from '../engine/engine.ts'
import { freeMemory } from '../free-memory.ts'
import { createPieceEncoder } from './encode-text.ts'
import type { Encoding } from './encodings.ts'
import type { FilePiece } from './format.ts'

/**
 * Encodes the pieces of a file, which are UTF-8, and counts the characters that the encoding lacks.
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
  const piece = (utf8: Uint8Array | undefined, rows: number): FilePiece => {
    const encoded = encode(utf8)
    if (refuses && encoded.replaced > 0) {
      throw new Error(
        `The ledger changed: its rows now have characters that ${encoding.name} lacks.`,
      )
    }
    return { ...encoded, rows }
  }
  for await (const { bytes, rows } of pieces) {
    const encoded = piece(bytes, rows)
    if (encoded.bytes !== bytes) freeMemory(bytes.buffer)
    yield encoded
  }
  const last = piece(undefined, 0)
  if (last.bytes.length > 0) yield last
}
