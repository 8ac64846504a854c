import type { EngineChunk } from '@counterfoil/engine'
import type { FileColumn } from '../format/format.ts'
import { readPages } from './read-pages.ts'
import { PageGroup } from './page-group.ts'
import { writeFooter, writeRowGroup } from './write-footer.ts'
import type { Written } from './write-thrift.ts'

const BEGIN = 'PAR1'

/**
 * Makes a Parquet file of the one that the engine writes. It puts the pages into large row groups, and writes a footer
 * with the report's titles and metadata.
 */
export async function* writePages(
  columns: readonly FileColumn[],
  metadata: Readonly<Record<string, string>>,
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<EngineChunk, void> {
  const group = new PageGroup(columns.length)
  const rowGroups: Written[] = []
  let [offset, rows] = [0, 0]
  for await (const pages of readPages(chunks)) {
    // Inside the loop, so that the chunks end too if the reader leaves here.
    if (offset === 0) yield { bytes: Buffer.from(BEGIN), rows: 0 }
    offset = Math.max(offset, BEGIN.length)
    for (const page of pages) {
      group.add(page)
      if (group.isFull) yield* writeGroup()
    }
  }
  if (!group.isEmpty) yield* writeGroup()
  yield { bytes: writeFooter({ columns, rows, rowGroups, metadata }), rows: 0 }

  function* writeGroup(): Generator<EngineChunk, void> {
    const { rows: rowsOfGroup, chunks: written } = group.take()
    rowGroups.push(writeRowGroup(columns, written, offset, rowsOfGroup))
    rows += rowsOfGroup
    for (const [index, { bytes }] of written.entries()) {
      offset += bytes.length
      yield { bytes, rows: index === 0 ? rowsOfGroup : 0 }
    }
  }
}
