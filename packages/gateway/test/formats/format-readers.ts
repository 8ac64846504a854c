import { zstdDecompressSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { readXlsx } from 'hucre/xlsx'
import { parquetMetadata, parquetRead } from 'hyparquet'
import * as z from 'zod'
import type { ColumnKind } from '../../../engine/src/dialect/column-kinds.ts'
import type { FormatName } from '../../../formats/src/format/formats.ts'
import { readPdf } from '../../../formats/test/kit/read-pdf.ts'

/** A value of a file, as text. */
export type Cell = string | null

/** The content of a file. */
export interface FileContent {
  readonly titles: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

/** How tests read the files of a format: with a reader that this project did not write. */
export interface FormatReader {
  /**
   * Reads a file. For what a format does not hold as a table, it returns the expected content as far as the file has
   * it.
   */
  readonly read: (file: Uint8Array, expected: FileContent) => Promise<FileContent>
  /** Returns the cell that the format has for a value of the JSON lines. */
  readonly cellOf: (kind: ColumnKind, value: Cell) => Cell
}

/** The readers of all formats. A format without a reader does not compile. */
export const FORMAT_READERS: Readonly<Record<FormatName, FormatReader>> = {
  CSV: { read: readCsv, cellOf: printedCell },
  XLSX: { read: readSheet, cellOf: sheetCell },
  PDF: { read: readDocument, cellOf: documentCell },
  JSONL: { read: readJsonLines, cellOf: (_, value) => value },
  PARQUET: { read: readParquet, cellOf: parquetCell },
}

/** No content. */
export const NO_CONTENT: FileContent = { titles: [], rows: [] }

const TEXT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

async function readCsv(file: Uint8Array): Promise<FileContent> {
  const options = { record_delimiter: '\r\n' }
  const [titles = [], ...rows] = z
    .array(z.array(z.string()))
    .parse(parse(TEXT.decode(file), options))
  return { titles, rows }
}

function printedCell(kind: ColumnKind, value: Cell): Cell {
  if (value === null) return ''
  if (kind === 'money') return withThreeDigits(value)
  if (kind === 'ratio') return Number(value).toFixed(4)
  if (kind === 'date') return value.split('-').toReversed().join('.')
  return kind === 'time' ? value.slice(0, 19).replace('T', ' ') : value
}

/** A document has ISO days. The currency of an amount decides about zeros at its end: its suite reads those. */
function documentCell(kind: ColumnKind, value: Cell): Cell {
  if (kind === 'ratio' && value !== null) return `${(Number(value) * 100).toFixed(2)}%`
  return kind === 'date' || kind === 'money' ? (value ?? '') : printedCell(kind, value)
}

function withThreeDigits(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.')
  return `${whole}.${fraction.padEnd(3, '0')}`
}

async function readSheet(file: Uint8Array): Promise<FileContent> {
  const [sheet] = (await readXlsx(Uint8Array.from(file))).sheets
  const [titles = [], ...rows] = (sheet?.rows ?? []).map((row) => {
    return row.map((value) => (value instanceof Date ? value.toISOString() : textOf(value)))
  })
  return { titles: titles.map(String), rows }
}

function textOf(value: unknown): Cell {
  return value === null || value === undefined ? null : z.coerce.string().parse(value)
}

/** A sheet has no empty text, and days and times without a zone. It keeps 15 digits of a number, or a text. */
function sheetCell(kind: ColumnKind, value: Cell): Cell {
  if (value === null || value === '') return null
  if (kind === 'date') return `${value}T00:00:00.000Z`
  if (kind === 'time') return `${value.slice(0, 19)}.000Z`
  if (kind === 'ratio') return String(Number(Number(value).toFixed(4)))
  const isNumber = ['money', 'rate', 'integer'].includes(kind)
  const digits = value.replace(/\D|^-?[0.]*/g, '')
  return isNumber && digits.length <= 15 ? String(Number(value)) : value
}

// Pages shape other texts, and break long ones. The suite of the format reads those.
const PLAIN_CELL = /^[\w.:+-][\w .:%+-]{0,39}$/

/** Looks up plain cells in the text of all pages, without white space: it depends on where lines break. */
async function readDocument(file: Uint8Array, { titles, rows }: FileContent): Promise<FileContent> {
  const { pages } = await readPdf(file)
  const text = pages
    .flatMap(({ texts }) => texts)
    .join('')
    .replaceAll(/\s/g, '')
  const look = <C extends Cell>(cell: C): C | string => {
    const isPlain = cell !== null && PLAIN_CELL.test(cell)
    return !isPlain || text.includes(cell.replaceAll(' ', '')) ? cell : '(missing)'
  }
  // A title is in words: an underscore is a space.
  return {
    titles: titles.map((title) => (text.includes(title.replaceAll('_', '')) ? title : look(title))),
    rows: rows.map((row) => row.map(look)),
  }
}

const jsonRow = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

async function readJsonLines(file: Uint8Array, expected: FileContent): Promise<FileContent> {
  const lines = TEXT.decode(file).split('\n')
  if (lines.pop() !== '') throw new Error('expected a line feed after the last line')
  const rows = lines.map((line) => jsonRow.parse(JSON.parse(line)))
  return {
    // Without rows, the file has no titles.
    titles: rows[0] ? Object.keys(rows[0]) : expected.titles,
    rows: rows.map((row) =>
      Object.values(row).map((value) => (value === null ? null : String(value))),
    ),
  }
}

async function readParquet(file: Uint8Array): Promise<FileContent> {
  const copy = Uint8Array.from(file).buffer
  const metadata = parquetMetadata(copy)
  const [, ...columns] = metadata.schema
  const scales = columns.map(({ converted_type, scale }) => {
    return converted_type === 'DECIMAL' ? scale : undefined
  })
  // The reader would make doubles of decimals. Without their types, it returns their bytes.
  const schema = metadata.schema.map(({ converted_type, logical_type, ...element }) => {
    return converted_type === 'DECIMAL' ? element : { ...element, converted_type, logical_type }
  })
  let rows: readonly unknown[][] = []
  await parquetRead({
    file: copy,
    metadata: { ...metadata, schema } as typeof metadata,
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
    onComplete: (read: unknown[][]) => {
      rows = read
    },
  })
  const kinds = columns.map(({ converted_type }) => converted_type)
  return {
    titles: columns.map(({ name }) => name),
    rows: rows.map((row) => {
      return row.map((value, index) => parquetText(value, scales[index], kinds[index] === 'DATE'))
    }),
  }
}

function parquetText(value: unknown, scale: number | undefined, isDay: boolean): Cell {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return isDay ? value.toISOString().slice(0, 10) : value.toISOString()
  if (value instanceof Uint8Array && scale !== undefined) return decimalText(value, scale)
  return z.coerce.string().parse(value)
}

/** Reads a decimal: a whole number in big-endian order, and the number of its fraction digits. */
function decimalText(bytes: Uint8Array, scale: number): string {
  const unscaled = BigInt.asIntN(
    8 * bytes.length,
    BigInt(`0x${Buffer.from(bytes).toString('hex')}`),
  )
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  const text = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`.replace(/\.?0+$/, '')
  return unscaled < 0n ? `-${text}` : text
}

function parquetCell(kind: ColumnKind, value: Cell): Cell {
  return kind === 'time' && value !== null ? new Date(value).toISOString() : value
}
