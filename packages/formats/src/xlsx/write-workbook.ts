import { PassThrough, Readable } from 'node:stream'
import { type EngineChunk, HARD_TEXT } from '@counterfoil/engine'
import { ZipFile } from 'yazl'
import { completeRecords, lookAhead } from '../documents/records.ts'
import { Totals } from '../documents/totals.ts'
import type { ReportFile } from '../format/format.ts'
import { columnWidths, endOfSheet, MEASURED_ROWS, sheetPath, startOfSheet } from './row-sheet.ts'
import { writeHardTexts } from './sheet-text.ts'
import { FIRST_PARTS, lastParts, type Part } from './workbook-parts.ts'

/** How many rows a sheet has, with its header. */
const SHEET_ROWS_MAX = 1_048_576
/** The most bytes of a sheet. A larger one needs ZIP64 headers, which Excel "repairs". */
const SHEET_BYTES_MAX = 0xff_ff_ff_ff
/** The header of a sheet takes less. */
const HEADER_BYTES_MAX = 64 * 1024 * 1024

const LIMITS = { rowsMax: SHEET_ROWS_MAX - 1, bytesMax: SHEET_BYTES_MAX - HEADER_BYTES_MAX }

// Level 1 takes a third of the time of the default level, for files that are a quarter larger. Every file of the archive
// has the first day of ZIP.
const ENTRY_OPTIONS = { compressionLevel: 1, mtime: new Date(0), forceDosTimestamp: true }

/** Writes records of `recordOfRow` on as many sheets as they need, and a sheet about the report. */
export async function* writeWorkbook(
  file: ReportFile,
  chunks: AsyncIterable<EngineChunk>,
  limits = LIMITS,
): AsyncGenerator<EngineChunk, void> {
  const zip = new ZipFile()
  // The stream of yazl has no `destroy` in its types.
  const output = zip.outputStream.pipe(new PassThrough())
  const totals = file.sums && new Totals(file.sums)
  const source = readRowBatches(chunks, limits, totals)
  const { first, all: batches } = await lookAhead(source, (some) => sumRows(some) >= MEASURED_ROWS)
  const firstXml = Buffer.concat(first.map(({ xml }) => xml)).toString()
  const start = Buffer.from(startOfSheet(file.columns, columnWidths(file.columns, firstXml)))
  const rowsOfSheets: number[] = []
  let sent = 0
  const addParts = (parts: readonly Part[]): void => {
    for (const [name, xml] of parts) zip.addBuffer(Buffer.from(xml), name, ENTRY_OPTIONS)
  }
  const addSheet = (begun: RowBatch | undefined): void => {
    const number = rowsOfSheets.push(0)
    const content = Readable.from(sheetOf(begun, number - 1), { objectMode: false })
    content.on('error', (error) => output.destroy(error))
    zip.addReadStream(content, sheetPath(number), ENTRY_OPTIONS)
  }
  const sheetOf = async function* (
    begun: RowBatch | undefined,
    sheet: number,
  ): AsyncGenerator<Uint8Array, void> {
    yield start
    let rows = 0
    let batch = begun
    while (batch && (rows === 0 || !batch.isNewSheet)) {
      yield batch.xml
      rows += batch.rows
      rowsOfSheets[sheet] = rows
      batch = (await batches.next()).value ?? undefined
    }
    yield Buffer.from(endOfSheet(file.columns.length, rows))
    if (batch) {
      addSheet(batch)
    } else {
      addParts(lastParts(file, rowsOfSheets, totals))
      zip.end()
    }
  }
  try {
    addParts(FIRST_PARTS)
    addSheet((await batches.next()).value ?? undefined)
    for await (const bytes of output) {
      const rows = rowsOfSheets.reduce((sum, count) => sum + count, 0)
      yield { bytes, rows: rows - sent }
      sent = rows
    }
  } finally {
    await batches.return()
  }
}

/** Consecutive rows of a sheet, in XML. */
interface RowBatch {
  readonly xml: Buffer
  readonly rows: number
  /** Whether the sheet before these rows is full. */
  readonly isNewSheet: boolean
}

function sumRows(batches: readonly RowBatch[]): number {
  return batches.reduce((sum, { rows }) => sum + rows, 0)
}

const [UNIT, RECORD] = [0x1f, 0x1e]

/** Yields the XML of the rows, and adds them to the totals. */
async function* readRowBatches(
  chunks: AsyncIterable<EngineChunk>,
  { rowsMax, bytesMax }: typeof LIMITS,
  totals: Totals | undefined,
): AsyncGenerator<RowBatch, void> {
  const sheet = { rows: 0, bytes: 0 }
  for await (const records of completeRecords(chunks)) {
    let [pieces, rows, isNewSheet] = [[] as Uint8Array[], 0, false]
    for (let at = 0; at < records.length; ) {
      const recordEnd = records.indexOf(RECORD, at)
      const xmlEnd = totals ? records.indexOf(UNIT, at) : recordEnd
      totals?.add(records.toString('utf8', xmlEnd + 1, recordEnd).split('\x1f'))
      const raw = records.subarray(at, xmlEnd)
      const xml = raw.includes(HARD_TEXT) ? Buffer.from(writeHardTexts(raw.toString())) : raw
      if (sheet.rows === rowsMax || (sheet.rows > 0 && sheet.bytes + xml.length > bytesMax)) {
        if (rows > 0) yield { xml: Buffer.concat(pieces), rows, isNewSheet }
        ;[pieces, rows, isNewSheet] = [[], 0, true]
        sheet.rows = 0
        sheet.bytes = 0
      }
      sheet.rows += 1
      sheet.bytes += xml.length
      rows += 1
      pieces.push(xml)
      at = recordEnd + 1
    }
    yield { xml: Buffer.concat(pieces), rows, isNewSheet }
  }
}
