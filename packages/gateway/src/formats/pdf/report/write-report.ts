import { setImmediate } from 'node:timers/promises'
import type { EngineChunk } from '../../../engine/engine.ts'
import type { ReportFile } from '../../format.ts'
import { readRecords } from '../../records.ts'
import { openDocument } from '../document/pdf-document.ts'
import { refuseAbove } from './check-rows.ts'
import { ReportBody } from './report-body.ts'

/** The rows that decide how wide columns are. */
const MEASURED_ROWS = 1000

// The gateway answers other requests between the pages.
const PAGES_AT_ONCE = 4

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
  taggedRowsMax: number,
): AsyncGenerator<EngineChunk, void> {
  const { about } = file
  const document = await openDocument(
    {
      title: about.title,
      author: about.login,
      subject: about.name,
      language: 'en',
      madeAt: about.madeAt,
      id: about.runId,
    },
    taggedRowsMax,
  )
  const first: (readonly string[])[] = []
  let body: ReportBody | undefined
  let [rows, sent, pages] = [0, 0, 0]
  for await (const records of readRecords(chunks)) {
    for (const record of records) {
      rows += 1
      refuseAbove(rowsMax, rows)
      if (body) body.add(record)
      else first.push(record)
      if (first.length === MEASURED_ROWS) body ??= new ReportBody(document, file, first)
      if (document.pageCount < pages + PAGES_AT_ONCE) continue
      pages = document.pageCount
      await setImmediate()
      if (document.waitingBytes < PIECE_BYTES) continue
      yield { bytes: document.take(), rows: rows - sent }
      sent = rows
    }
  }
  body ??= new ReportBody(document, file, first)
  body.finish()
  yield { bytes: await document.finish(), rows: rows - sent }
}
