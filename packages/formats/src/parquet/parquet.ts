import { type EngineChunk, type Settings, typed } from '@counterfoil/engine'
import type { FileColumn, Format, ReportAbout } from '../format/format.ts'
import { list, numberIn, readStruct, struct, text, type Thrift, writeThrift } from './thrift.ts'

/** Row groups of a size with which readers are fast. The engine keeps a row group in memory until it is complete. */
const SETTINGS: Settings = {
  output_format_parquet_compression_method: 'zstd',
  output_format_parquet_row_group_size: 131_072,
  output_format_parquet_row_group_size_bytes: 64 * 1024 * 1024,
  output_format_parquet_parallel_encoding: 0,
  output_format_parquet_write_page_index: 0,
  output_format_parquet_write_bloom_filter: 0,
}

/** The longest footer, of about 250,000,000 rows of 30 columns. The gateway keeps so many bytes of each report. */
const FOOTER_BYTES_MAX = 8 * 1024 * 1024

/** A file ends with the length of its footer, and this text. */
const END = 'PAR1'

const MEDIA_TYPE = 'application/vnd.apache.parquet'

/** Apache Parquet. The engine writes the file, and the gateway adds titles and metadata to its footer. */
export const parquet: Format = {
  extension: 'parquet',
  mediaType: MEDIA_TYPE,
  // Its texts are UTF-8.
  encodings: ['UTF-8'],
  parameters: [],
  plan: ({ about, columns: named }) => ({
    contentType: MEDIA_TYPE,
    select: (columns) => {
      return columns.map(({ kind, sql }, index) => `${typed(kind, sql)} AS _column_${index}`)
    },
    rows: 'Parquet',
    settings: SETTINGS,
    write: (chunks) => writeTexts({ columns: named, metadata: metadataOf(about) }, chunks),
  }),
}

function metadataOf(about: ReportAbout): Readonly<Record<string, string>> {
  return {
    'counterfoil.report': about.identifier,
    'counterfoil.schema': about.schemaHash,
    'counterfoil.timezone': about.timezone,
    'counterfoil.parameters': JSON.stringify(about.parameters),
    'counterfoil.filters': JSON.stringify(about.filters),
    'counterfoil.run': about.runId,
  }
}

/** Passes the file on, and replaces its footer. Offsets in the footer count from the beginning of the file. */
export async function* writeTexts(
  texts: FooterTexts,
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<EngineChunk, void> {
  const kept: Uint8Array[] = []
  let keptBytes = 0
  for await (const { bytes } of chunks) {
    kept.push(bytes)
    keptBytes += bytes.length
    for (let [next] = kept; next && keptBytes - next.length >= FOOTER_BYTES_MAX; [next] = kept) {
      kept.shift()
      keptBytes -= next.length
      yield { bytes: next, rows: 0 }
    }
  }
  const end = Buffer.concat(kept)
  const footerEnd = end.length - 4 - END.length
  if (footerEnd < 0 || end.toString('latin1', footerEnd + 4) !== END) {
    throw new Error('The engine wrote no Parquet file.')
  }
  const footerStart = footerEnd - end.readUInt32LE(footerEnd)
  if (footerStart < 0) throw new Error('The footer of the Parquet file is too long.')
  const footer = rewriteFooter(end.subarray(footerStart, footerEnd), texts)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(footer.bytes.length)
  yield { bytes: end.subarray(0, footerStart), rows: footer.rows }
  yield { bytes: Buffer.concat([footer.bytes, length, Buffer.from(END)]), rows: 0 }
}

interface FooterTexts {
  readonly columns: readonly Pick<FileColumn, 'title'>[]
  readonly metadata: Readonly<Record<string, string>>
}

/** Gives the columns of a footer their titles, and adds metadata. Returns the number of rows too. */
function rewriteFooter(footer: Uint8Array, { columns, metadata }: FooterTexts) {
  // The ids of members: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
  const file = readStruct(footer)
  const [root, ...elements] = itemsOf(file.members.get(2))
  membersOf(root).set(4, text('report'))
  for (const [index, { title }] of columns.entries()) {
    membersOf(elements[index]).set(4, text(title))
  }
  for (const group of itemsOf(file.members.get(4))) {
    for (const [index, chunk] of itemsOf(membersOf(group).get(1)).entries()) {
      const path = list([text(columns[index]?.title ?? '')])
      membersOf(membersOf(chunk).get(3)).set(3, path)
    }
  }
  const pairs = Object.entries(metadata)
  file.members.set(5, list(pairs.map(([key, value]) => struct({ 1: text(key), 2: text(value) }))))
  file.members.set(6, text('Counterfoil'))
  const rows = file.members.get(3)
  return { bytes: writeThrift(file), rows: rows && 'bytes' in rows ? numberIn(rows) : 0 }
}

function itemsOf(value: Thrift | undefined): readonly Thrift[] {
  if (value && 'items' in value) return value.items
  throw new Error('The footer of the Parquet file lacks a list.')
}

function membersOf(value: Thrift | undefined): Map<number, Thrift> {
  if (value && 'members' in value) return value.members
  throw new Error('The footer of the Parquet file lacks a struct.')
}
