import type { EngineChunk } from '@counterfoil/engine'
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js'

/** A page of a column: its header and its data. Its bytes are the same wherever it is in a file. */
export interface Page {
  readonly bytes: Uint8Array
  readonly values: number
  /** The size of the header and of the uncompressed data. */
  readonly uncompressedBytes: number
}

/**
 * Reads the pages of a Parquet file. Chunks may end anywhere.
 *
 * @throws an Error if the file is incomplete
 */
export async function* readPages(chunks: AsyncIterable<EngineChunk>): AsyncGenerator<Page, void> {
  let waiting: Uint8Array[] = []
  let [waitingBytes, wantedBytes, isInFile] = [0, 0, false]
  const takePages = function* (): Generator<Page, void> {
    const [first, ...others] = waiting
    let rest = first && others.length === 0 ? first : Buffer.concat(waiting)
    wantedBytes = 0
    while (rest.length > 0) {
      const part = isInFile ? readPart(rest) : readBegin(rest)
      wantedBytes = part.length
      if (part.length > rest.length) break
      isInFile = part.kind !== 'end'
      const bytes = rest.subarray(0, part.length)
      rest = rest.subarray(part.length)
      if (part.kind === 'page') yield { ...part, bytes }
    }
    waiting = rest.length > 0 ? [rest] : []
    waitingBytes = rest.length
  }
  for await (const { bytes } of chunks) {
    waiting.push(bytes)
    waitingBytes += bytes.length
    if (waitingBytes >= wantedBytes) yield* takePages()
  }
  yield* takePages()
  if (isInFile || waitingBytes > 0) throw new Error('The result ended inside a Parquet file.')
}

// A file begins and ends with this text. Before the second one is the length of the footer, in four bytes.
const MAGIC = 'PAR1'
const AFTER_FOOTER_BYTES = 4 + MAGIC.length

/** Something at the beginning of some bytes. If its length is more than the bytes, the rest is still missing. */
type Part =
  | { readonly kind: 'begin' | 'copy' | 'end' | 'missing'; readonly length: number }
  | (Omit<Page, 'bytes'> & { readonly kind: 'page'; readonly length: number })

function readBegin(bytes: Uint8Array): Part {
  const { length } = MAGIC
  if (bytes.length >= length) expectMagic(bytes, 0)
  return { kind: 'begin', length }
}

const DATA_PAGE = 0

/** Reads the page or the footer at the beginning of some bytes. Every part begins with a struct. */
function readPart(bytes: Uint8Array): Part {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 }
  // Ids of members: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
  const struct = structAt(reader)
  // With twice the bytes, a long footer that comes in many chunks is read a few times only.
  if (!struct) return { kind: 'missing', length: 2 * bytes.length }
  const { field_1: type, field_2: uncompressedBytes, field_3: compressedBytes } = struct
  const { offset } = reader
  // The second member of a footer is a list.
  if (Array.isArray(uncompressedBytes)) return readEnd(bytes, offset)
  // After the pages of a column, the engine writes a copy of what its footer says about the column.
  if (typeof compressedBytes !== 'number') return { kind: 'copy', length: offset }
  if (type !== DATA_PAGE) {
    throw new Error('The engine wrote a page of Parquet that is no data page.')
  }
  return {
    kind: 'page',
    length: offset + compressedBytes,
    values: Number(struct.field_5?.field_1),
    uncompressedBytes: offset + Number(uncompressedBytes),
  }
}

/** Reads a struct. Returns `undefined` if the bytes end inside it. */
function structAt(reader: Parameters<typeof deserializeTCompactProtocol>[0]) {
  try {
    return deserializeTCompactProtocol(reader)
  } catch {
    return undefined
  }
}

function readEnd(bytes: Uint8Array, footerBytes: number): Part {
  const length = footerBytes + AFTER_FOOTER_BYTES
  if (bytes.length >= length) expectMagic(bytes, length - MAGIC.length)
  return { kind: 'end', length }
}

function expectMagic(bytes: Uint8Array, at: number): void {
  const found = Buffer.from(bytes.subarray(at, at + MAGIC.length)).toString('latin1')
  if (found !== MAGIC) throw new Error('The engine wrote no Parquet file.')
}
