import { type Settings, typed } from '@counterfoil/engine'
import type { Format, ReportAbout } from '../format/format.ts'
import { COMPRESSION } from './write-footer.ts'
import { writePages } from './write-pages.ts'

/** The engine writes each block as a row group with one page of each column, which fits into any file. */
export const PAGE_SETTINGS: Settings = {
  output_format_parquet_compression_method: COMPRESSION.name,
  output_format_parquet_row_group_size: 8192,
  output_format_parquet_data_page_size: 2 ** 31 - 1,
  output_format_parquet_parallel_encoding: 0,
  // A dictionary and an index would belong to their row group.
  output_format_parquet_max_dictionary_size: 0,
  output_format_parquet_write_page_index: 0,
  output_format_parquet_write_bloom_filter: 0,
}

const MEDIA_TYPE = 'application/vnd.apache.parquet'

/** Apache Parquet. The engine writes the pages of the columns, and the gateway puts them into one file. */
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
    settings: PAGE_SETTINGS,
    write: (chunks) => writePages(named, metadataOf(about), chunks),
  }),
}

/** What a file says about its report. */
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
