import { csv } from '../csv/csv.ts'
import type { Format } from './format.ts'
import { jsonLines } from '../json-lines/json-lines.ts'
import { parquet } from '../parquet/parquet.ts'
import { pdf } from '../pdf/pdf.ts'
import { xlsx } from '../xlsx/xlsx.ts'

/** The names of the formats in requests. */
export const FORMAT_NAMES = ['CSV', 'XLSX', 'PDF', 'JSONL', 'PARQUET'] as const

/** The name of a format. */
export type FormatName = (typeof FORMAT_NAMES)[number]

/** Every format. A new format is a folder beside this one, and a line in this table. */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  CSV: csv,
  XLSX: xlsx,
  PDF: pdf,
  JSONL: jsonLines,
  PARQUET: parquet,
}
