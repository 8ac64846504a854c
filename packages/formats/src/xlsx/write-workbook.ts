import { PassThrough, Readable } from 'node:stream'
import type { EngineChunk } from '@counterfoil/engine'
import { ZipFile } from 'yazl'
import { Totals } from '../documents/totals.ts'
import type { ReportFile } from '../format/format.ts'
import { ColumnWidths } from './column-widths.ts'
import { readRowBatches, type RowBatch, type SheetLimits, type Tally } from './row-batches.ts'
import { endOfSheet, sheetPath, startOfSheet } from './row-sheet.ts'
import { FIRST_PARTS, lastParts, type Part } from './workbook-parts.ts'

/** How many rows a sheet has, with its header. */
const SHEET_ROWS_MAX = 1_048_576
/** The most bytes of a sheet. A larger one needs ZIP64 headers, which Excel "repairs". */
const SHEET_BYTES_MAX = 0xff_ff_ff_ff
/** The header of a sheet takes less. */
const HEADER_BYTES_MAX = 64 * 1024 * 1024

const LIMITS: SheetLimits = {
  rowsMax: SHEET_ROWS_MAX - 1,
  bytesMax: SHEET_BYTES_MAX - HEADER_BYTES_MAX,
}

// Level 1 takes a third of the time of the default level, for files that are a quarter larger. Every file of the archive
// has the first day of ZIP.
const ENTRY_OPTIONS = { compressionLevel: 1, mtime: new Date(0), forceDosTimestamp: true }

/**
 * Writes a report as a workbook: the rows on as many sheets as they need, and a sheet about the report.
 *
 * @param chunks records of `recordOfRow`
 */
export async function* writeWorkbook(
  file: ReportFile,
  chunks: AsyncIterable<EngineChunk>,
  limits = LIMITS,
): AsyncGenerator<EngineChunk, void> {
  const zip = new ZipFile()
  // The stream of yazl has no `destroy` in its types.
  const output = zip.outputStream.pipe(new PassThrough())
  const totals = file.sums && new Totals(file.sums)
  const tally: Tally = { totals, numbersAsText: 0, cutTexts: 0 }
  const widths = new ColumnWidths(file.columns)
  const batches = measured(readRowBatches(chunks, limits, tally), widths)
  const rowsOfSheets: number[] = []
  let sent = 0
  const addParts = (parts: readonly Part[]): void => {
    for (const [name, xml] of parts) zip.addBuffer(Buffer.from(xml), name, ENTRY_OPTIONS)
  }
  const addSheet = (first: RowBatch | undefined): void => {
    const number = rowsOfSheets.push(0)
    const content = Readable.from(sheetOf(first, number - 1), { objectMode: false })
    content.on('error', (error) => output.destroy(error))
    zip.addReadStream(content, sheetPath(number), ENTRY_OPTIONS)
  }
  const sheetOf = async function* (
    first: RowBatch | undefined,
    sheet: number,
  ): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from(startOfSheet(file.columns, widths.widths()))
    let rows = 0
    let batch = first
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
      addParts(lastParts(file, rowsOfSheets, tally))
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

/** Holds the first rows until the widths of the columns are known. */
async function* measured(
  batches: AsyncIterable<RowBatch>,
  widths: ColumnWidths,
): AsyncGenerator<RowBatch, void> {
  let held: RowBatch[] = []
  for await (const batch of batches) {
    held.push(batch)
    if (!widths.areMeasured) widths.add(batch.xml.toString())
    if (!widths.areMeasured) continue
    yield* held
    held = []
  }
  yield* held
}
