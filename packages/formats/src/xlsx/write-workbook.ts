import type { EngineChunk } from '@counterfoil/engine'
import type { ReportFile } from '../format/format.ts'
import { readRowBatches, type SheetLimits } from './row-batches.ts'
import { RowSheets } from './row-sheets.ts'
import { Tally } from './tally.ts'
import { FIRST_PARTS, lastParts, type Part } from './workbook-parts.ts'
import { ENTRY_BYTES_MAX, ZipWriter } from './zip-writer.ts'

/** How many rows a sheet has, with its header. */
const SHEET_ROWS_MAX = 1_048_576
/** The header of a sheet takes less. */
const HEADER_BYTES_MAX = 64 * 1024 * 1024

const LIMITS: SheetLimits = {
  rowsMax: SHEET_ROWS_MAX - 1,
  bytesMax: ENTRY_BYTES_MAX - HEADER_BYTES_MAX,
}

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
  const zip = new ZipWriter()
  const tally = new Tally(file.sums?.accounts !== undefined)
  const sheets = new RowSheets(zip, file.columns)
  let rows = 0
  let isBegun = false
  const begin = async (): Promise<void> => {
    if (!isBegun) await writeParts(zip, FIRST_PARTS)
    isBegun = true
  }
  try {
    for await (const batch of readRowBatches(chunks, limits, tally)) {
      await begin()
      await sheets.add(batch)
      rows += batch.rows
      const bytes = zip.take()
      if (bytes.length === 0) continue
      yield { bytes, rows }
      rows = 0
    }
    await begin()
    await sheets.end()
    await writeParts(zip, lastParts(file, sheets.rows, tally))
    zip.close()
    yield { bytes: zip.take(), rows }
  } finally {
    zip.destroy()
  }
}

async function writeParts(zip: ZipWriter, parts: readonly Part[]): Promise<void> {
  for (const [name, xml] of parts) {
    zip.begin(name)
    await zip.write(Buffer.from(xml))
    await zip.end()
  }
}
