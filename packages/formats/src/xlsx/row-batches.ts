import type { EngineChunk } from '@counterfoil/engine'
import { completeRecords } from '../documents/records.ts'
import { writeHardTexts } from './sheet-text.ts'
import type { Tally } from './tally.ts'

/** Consecutive rows of a sheet, in XML. */
export interface RowBatch {
  readonly xml: Uint8Array
  readonly rows: number
  /** Whether the sheet before these rows is full. */
  readonly isNewSheet: boolean
}

/** How much a sheet holds. */
export interface SheetLimits {
  readonly rowsMax: number
  readonly bytesMax: number
}

const UNIT = 0x1f
const RECORD = 0x1e

/**
 * Reads the records that `recordOfRow` selects. Yields the XML of the rows and tallies the rest.
 *
 * @throws an Error if the last record is incomplete
 */
export async function* readRowBatches(
  chunks: AsyncIterable<EngineChunk>,
  limits: SheetLimits,
  tally: Tally,
): AsyncGenerator<RowBatch, void> {
  const sheet = { rows: 0, bytes: 0 }
  for await (const records of completeRecords(chunks)) {
    yield* batchesOf(records, sheet, limits, tally)
  }
}

/**
 * Moves the XML of the records together, because a buffer for each row takes longer than everything else. A hard row has
 * its own buffer if its XML is longer than its record.
 */
function* batchesOf(
  records: Buffer,
  sheet: { rows: number; bytes: number },
  { rowsMax, bytesMax }: SheetLimits,
  tally: Tally,
): Generator<RowBatch, void> {
  let [start, end, rows, isNewSheet] = [0, 0, 0, false]
  const flush = function* (): Generator<RowBatch, void> {
    if (rows > 0) yield { xml: records.subarray(start, end), rows, isNewSheet }
    if (rows > 0) isNewSheet = false
    start = end
    rows = 0
  }
  for (let at = 0; at < records.length; ) {
    const xmlEnd = records.indexOf(UNIT, at)
    const recordEnd = records.indexOf(RECORD, xmlEnd)
    const isHard = tally.add(records, xmlEnd + 1, recordEnd)
    const hard = isHard ? hardRow(records.toString('utf8', at, xmlEnd), tally) : undefined
    const length = hard?.length ?? xmlEnd - at
    if (sheet.rows === rowsMax || (sheet.rows > 0 && sheet.bytes + length > bytesMax)) {
      yield* flush()
      isNewSheet = true
      sheet.rows = 0
      sheet.bytes = 0
    }
    sheet.rows += 1
    sheet.bytes += length
    if (hard && end + length > recordEnd) {
      yield* flush()
      yield { xml: hard, rows: 1, isNewSheet }
      isNewSheet = false
    } else {
      if (hard) records.set(hard, end)
      else records.copyWithin(end, at, xmlEnd)
      end += length
      rows += 1
    }
    at = recordEnd + 1
  }
  yield* flush()
}

function hardRow(xml: string, tally: Tally): Buffer {
  return Buffer.from(writeHardTexts(xml, () => tally.countCutText()))
}
