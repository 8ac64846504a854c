import { PdfDocument } from '../document/pdf-document.ts'
import type { EngineChunk } from '@counterfoil/engine'
import type { FileColumn, ReportFile } from '../../format/format.ts'
import { readRecords } from '../../documents/records.ts'
import { alignmentOf } from '../table/table-column.ts'
import { groupDigits, inPercent } from '../group-digits.ts'
import { Turn } from '@counterfoil/common'
import { refuseAbove } from './check-rows.ts'
import { ReportBody } from './report-body.ts'

/** The rows that decide how wide columns are, and what bookmarks follow. */
const FIRST_ROWS = 1000

const PIECE_BYTES = 32_768

/**
 * Writes a report as a PDF document: the first page says what it is, a table holds the rows, and totals follow.
 *
 * @throws `invalid-field` if rows arrived since `checkRows`, so that the report has more than `rowsMax`
 */
export async function* writeReport(
  file: ReportFile,
  chunks: AsyncIterable<EngineChunk>,
  rowsMax: number,
  isTagged: boolean,
): AsyncGenerator<EngineChunk, void> {
  const document = await PdfDocument.open(file.about, isTagged)
  const turn = new Turn()
  const shown = numberGrouper(file.columns)
  let first: (readonly string[])[] = []
  let body: ReportBody | undefined
  let [rows, sent] = [0, 0]
  for await (const records of readRecords(chunks)) {
    for (const record of records) {
      rows += 1
      refuseAbove(rowsMax, rows)
      if (!body) {
        first.push(shown(record))
        if (first.length < FIRST_ROWS) continue
        body = await beginBody(document, file, first, turn)
        first = []
      } else {
        await body.add(shown(record))
      }
      if (document.waitingBytes < PIECE_BYTES) continue
      yield { bytes: document.take(), rows: rows - sent }
      sent = rows
    }
  }
  body ??= await beginBody(document, file, first, turn)
  yield { bytes: await body.finish(), rows: rows - sent }
}

/** Returns a function that groups the digits of a row's numbers, and writes its ratios in percent. */
function numberGrouper(
  columns: readonly FileColumn[],
): (record: readonly string[]) => readonly string[] {
  const numbers = columns.flatMap((column, field) =>
    alignmentOf(column) === 'point'
      ? [{ field, write: column.kind === 'ratio' ? inPercent : groupDigits }]
      : [],
  )
  return (record) => {
    const shown = [...record]
    for (const { field, write } of numbers) shown[field] = write(record[field] ?? '')
    return shown
  }
}

async function beginBody(
  document: PdfDocument,
  file: ReportFile,
  first: readonly (readonly string[])[],
  turn: Turn,
): Promise<ReportBody> {
  const body = await ReportBody.begin(document, file, first, turn)
  for (const row of first) await body.add(row)
  return body
}
