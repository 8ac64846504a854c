import type { EngineChunk } from '@counterfoil/engine'
import { completeRecords } from '../documents/records.ts'
import type { Totals } from '../documents/totals.ts'
import { writeHardTexts } from './sheet-text.ts'

/** Consecutive rows of a sheet, in XML. */
export interface RowBatch {
  readonly xml: Buffer
  readonly rows: number
  /** Whether the sheet before these rows is full. */
  readonly isNewSheet: boolean
}

/** How much a sheet holds. */
export interface SheetLimits {
  readonly rowsMax: number
  readonly bytesMax: number
}

/** What the sheet about the report says of its rows. */
export interface Tally {
  readonly totals: Totals | undefined
  /** How many cells hold a number as text, because spreadsheets would drop digits. */
  numbersAsText: number
  /** How many cells hold only the beginning of a text. */
  cutTexts: number
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
  { rowsMax, bytesMax }: SheetLimits,
  tally: Tally,
): AsyncGenerator<RowBatch, void> {
  const sheet = { rows: 0, bytes: 0 }
  for await (const records of completeRecords(chunks)) {
    let [pieces, rows, isNewSheet] = [[] as Uint8Array[], 0, false]
    for (let at = 0; at < records.length; ) {
      const xmlEnd = records.indexOf(UNIT, at)
      const recordEnd = records.indexOf(RECORD, xmlEnd)
      const xml = rowXml(
        records.subarray(at, xmlEnd),
        records.toString('utf8', xmlEnd + 1, recordEnd),
        tally,
      )
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

/** Returns the XML of a row with its hard texts, and tallies the other fields of its record. */
function rowXml(xml: Buffer, fields: string, tally: Tally): Buffer {
  const [hard, numbers, ...summed] = fields.split('\x1f')
  tally.numbersAsText += Number(numbers)
  tally.totals?.add(summed)
  if (hard === '0') return xml
  const written = writeHardTexts(xml.toString(), () => {
    tally.cutTexts += 1
  })
  return Buffer.from(written)
}
