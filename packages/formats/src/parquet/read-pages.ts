import type { EngineChunk } from '@counterfoil/engine'
import { readStruct, type ThriftStruct } from './read-thrift.ts'

/** A page of a column: its header and its data. Its bytes are the same wherever it is in a file. */
export interface Page {
  readonly bytes: Uint8Array
  readonly values: number
  /** The size of the header and of the uncompressed data. */
  readonly uncompressedBytes: number
}

/**
 * Reads the pages of a Parquet file: for each chunk, the pages that it completes. Chunks may end anywhere.
 *
 * @throws an Error if the file is incomplete
 */
export async function* readPages(
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<readonly Page[], void> {
  const reader = new PageReader()
  for await (const { bytes } of chunks) yield reader.read(bytes)
  yield reader.end()
}

// A file begins and ends with this text. Before the second one is the length of the footer, in four bytes.
const MAGIC = 'PAR1'
const AFTER_FOOTER_BYTES = 4 + MAGIC.length

/** Something at the beginning of some bytes. If its length is more than the bytes, the rest is still missing. */
interface Part {
  readonly kind: 'begin' | 'page' | 'copy' | 'end'
  readonly length: number
  readonly values?: number
  readonly uncompressedBytes?: number
}

class PageReader {
  #isInFile = false
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #wantedBytes = 0

  /** Takes some bytes, and returns the pages that are complete. */
  read(bytes: Uint8Array): readonly Page[] {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    return this.#waitingBytes >= this.#wantedBytes ? this.#takePages() : []
  }

  /** Returns the last pages. Throws if the last file is incomplete. */
  end(): readonly Page[] {
    const pages = this.#takePages()
    if (this.#isInFile || this.#waitingBytes > 0) {
      throw new Error('The result ended inside a Parquet file.')
    }
    return pages
  }

  #takePages(): readonly Page[] {
    const [first, ...others] = this.#waiting
    if (!first) return []
    const pages: Page[] = []
    let rest = others.length === 0 ? first : Buffer.concat(this.#waiting)
    this.#wantedBytes = 0
    while (rest.length > 0) {
      const part = this.#isInFile ? readPart(rest) : readBegin(rest)
      this.#wantedBytes = part.length
      if (part.length > rest.length) break
      this.#isInFile = part.kind !== 'end'
      const { values = 0, uncompressedBytes = 0 } = part
      const bytes = rest.subarray(0, part.length)
      rest = rest.subarray(part.length)
      if (part.kind === 'page') pages.push({ bytes, values, uncompressedBytes })
    }
    this.#waiting = rest.length > 0 ? [rest] : []
    this.#waitingBytes = rest.length
    return pages
  }
}

function readBegin(bytes: Uint8Array): Part {
  const { length } = MAGIC
  if (bytes.length >= length) expectMagic(bytes, 0)
  return { kind: 'begin', length }
}

// Ids of members: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
const PAGE_HEADER = { type: 1, uncompressedBytes: 2, compressedBytes: 3, dataPage: 5 }
const DATA_PAGE_HEADER = { values: 1 }
const DATA_PAGE = 0

/** Reads the page or the footer at the beginning of some bytes. Every part begins with a struct. */
function readPart(bytes: Uint8Array): Part {
  const read = readStruct(bytes)
  // With twice the bytes, a long footer that comes in many chunks is read a few times only.
  if (!read) return { kind: 'page', length: 2 * bytes.length }
  const { struct } = read
  const compressedBytes = struct.get(PAGE_HEADER.compressedBytes)
  const uncompressedBytes = struct.get(PAGE_HEADER.uncompressedBytes)
  // After the pages of a column, the engine writes a copy of what its footer says about the column.
  if (typeof compressedBytes === 'object') return { kind: 'copy', length: read.length }
  // The second member of a footer is a list.
  if (typeof uncompressedBytes !== 'number') return readEnd(bytes, read.length)
  const values = membersOf(struct.get(PAGE_HEADER.dataPage)).get(DATA_PAGE_HEADER.values)
  const isDataPage = struct.get(PAGE_HEADER.type) === DATA_PAGE
  if (!isDataPage || typeof values !== 'number' || typeof compressedBytes !== 'number') {
    throw new Error('The engine wrote a page of Parquet that is no data page.')
  }
  return {
    kind: 'page',
    length: read.length + compressedBytes,
    values,
    uncompressedBytes: read.length + uncompressedBytes,
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

function membersOf(member: number | ThriftStruct | undefined): ThriftStruct {
  return typeof member === 'object' ? member : new Map()
}
