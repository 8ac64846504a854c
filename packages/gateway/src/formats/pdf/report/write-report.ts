import { setImmediate } from 'node:timers/promises'
import type { EngineChunk } from '../../../engine/engine.ts'
import type { ReportFile } from '../../format.ts'
import { readRecords } from '../../records.ts'
import { openDocument, type PdfDocument } from '../document/pdf-document.ts'
import { PAPER_SIZES, shapeTable } from '../table/shape-table.ts'
import { TableWriter } from '../table/table-writer.ts'
import { drawFirstPage } from './first-page.ts'
import { ReportPages } from './report-pages.ts'

/** The rows that decide how wide columns are. */
const MEASURED_ROWS = 1000

// The gateway answers other requests between two pieces: a piece takes about ten milliseconds.
const PIECE_BYTES = 32_768

type Row = readonly string[]

/** Writes a report as a PDF document: the first page says what it is, and a table holds the rows. */
export async function* writeReport(
  file: ReportFile,
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<EngineChunk, void> {
  const { about } = file
  const document = await openDocument({
    title: about.title,
    author: about.login,
    subject: about.name,
    language: 'en',
    madeAt: about.madeAt,
    id: about.runId,
  })
  let table: ReportTable | undefined
  let [rows, sent] = [0, 0]
  const measured: Row[] = []
  for await (const records of readRecords(chunks)) {
    for (const record of records) {
      rows += 1
      if (!table) {
        measured.push(record)
        if (measured.length < MEASURED_ROWS) continue
        table = beginTable(document, file, measured)
      } else {
        table.add(record)
      }
      if (document.objects.waitingBytes >= PIECE_BYTES) {
        yield { bytes: document.take(), rows: rows - sent }
        sent = rows
        await setImmediate()
      }
    }
  }
  table ??= beginTable(document, file, measured)
  table.pages.finish()
  yield { bytes: await document.finish(), rows: rows - sent }
}

interface ReportTable {
  readonly pages: ReportPages
  readonly add: (record: Row) => void
}

function beginTable(
  document: PdfDocument,
  file: ReportFile,
  measured: readonly Row[],
): ReportTable {
  const { typesetter } = document
  const paper = PAPER_SIZES[file.style.paper]
  const { page, shape } = shapeTable(typesetter, file.columns, measured, paper)
  const pages = new ReportPages(document, page, file.about)
  const first = pages.begin()
  const y = drawFirstPage(typesetter, first.page, file.about)
  const table = new TableWriter(typesetter, shape, { ...first, y }, () => pages.begin())
  const add = (record: Row): void => {
    table.addRow(record)
  }
  for (const record of measured) add(record)
  return { pages, add }
}
