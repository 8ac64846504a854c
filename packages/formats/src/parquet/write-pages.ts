import type { EngineChunk } from '@counterfoil/engine'
import type { FileColumn } from '../format/format.ts'
import { type Page, readPages } from './read-pages.ts'
import { type ColumnChunk, writeFooter, writeRowGroup } from './write-footer.ts'
import type { Written } from './write-thrift.ts'

const BEGIN = 'PAR1'

// Readers are fast with a row group of this size. It stays in memory until it is complete.
const GROUP_ROWS = 131_072
const GROUP_BYTES = 8 * 1024 * 1024

/**
 * Makes a Parquet file of the one that the engine writes. It puts the pages into large row groups, and writes a footer
 * with the report's titles and metadata. The engine writes a page of each column in turn, with the same number of rows.
 */
export async function* writePages(
  columns: readonly FileColumn[],
  metadata: Readonly<Record<string, string>>,
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<EngineChunk, void> {
  const rowGroups: Written[] = []
  let group = newGroup(columns.length)
  let [offset, rows] = [0, 0]
  const takeGroup = function* (): Generator<EngineChunk, void> {
    const written = group.pages.map(joinPages)
    rowGroups.push(writeRowGroup(columns, written, offset, group.rows))
    rows += group.rows
    for (const [index, { bytes }] of written.entries()) {
      offset += bytes.length
      yield { bytes, rows: index === 0 ? group.rows : 0 }
    }
    group = newGroup(columns.length)
  }
  for await (const page of readPages(chunks)) {
    // Inside the loop, so that the chunks end too if the reader leaves here.
    if (offset === 0) yield { bytes: Buffer.from(BEGIN), rows: 0 }
    offset = Math.max(offset, BEGIN.length)
    const column = group.added % columns.length
    if (page.values !== (group.pages[0]?.at(-1) ?? page).values && column > 0) {
      throw new Error('The engine wrote pages of different lengths.')
    }
    group.pages[column]?.push(page)
    group.added += 1
    group.bytes += page.bytes.length
    if (column < columns.length - 1) continue
    group.rows += page.values
    if (group.rows >= GROUP_ROWS || group.bytes >= GROUP_BYTES) yield* takeGroup()
  }
  if (group.added % columns.length > 0) {
    throw new Error('The engine wrote a row group without some columns.')
  }
  if (group.added > 0) yield* takeGroup()
  if (offset === 0) yield { bytes: Buffer.from(BEGIN), rows: 0 }
  yield { bytes: writeFooter({ columns, rows, rowGroups, metadata }), rows: 0 }
}

/** A row group that begins: the pages of its columns. */
function newGroup(width: number) {
  return { pages: Array.from({ length: width }, (): Page[] => []), added: 0, rows: 0, bytes: 0 }
}

/** Copies the pages, because the reader of a piece owns the piece's memory. */
function joinPages(pages: readonly Page[]): ColumnChunk {
  return {
    bytes: Buffer.concat(pages.map(({ bytes }) => bytes)),
    uncompressedBytes: pages.reduce((sum, page) => sum + page.uncompressedBytes, 0),
  }
}
