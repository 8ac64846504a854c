import { Turn } from '@counterfoil/common'
import type { EngineChunk, ValueStyle } from '@counterfoil/engine'
import { readRecords } from '../../documents/records.ts'
import { Totals } from '../../documents/totals.ts'
import type { FileColumn, ReportFile } from '../../format/format.ts'
import { PdfDocument } from '../document/pdf-document.ts'
import { groupDigits, inPercent, showAmount } from '../group-digits.ts'
import { cutTextsIn } from '../limit-text.ts'
import { alignmentOf, PAPER_SIZES, shapeTable } from '../table/shape-table.ts'
import { type TablePlace, TableWriter } from '../table/table-writer.ts'
import { refuseAbove } from './check-rows.ts'
import { drawEndNotes } from './end-notes.ts'
import { drawFirstPage } from './first-page.ts'
import { ReportPages, ROW_ROOM } from './report-pages.ts'

type Row = readonly string[]

/** The rows that decide how wide columns are. */
const FIRST_ROWS = 1000

const PIECE_BYTES = 32_768

/** How many rows the titles of a table of totals take. */
const TITLE_LINES = 2

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
  const { about, columns, sums, values } = file
  const turn = new Turn()
  const document = await PdfDocument.open(about, isTagged)
  const source = readRows(columns, chunks)
  const first: Row[] = []
  while (first.length < FIRST_ROWS) {
    const { value } = await source.next()
    if (!value) break
    first.push(value)
  }
  const upright = PAPER_SIZES[file.style.paper]
  const across = { width: upright.height, height: upright.width }
  const sizes = [upright, across] as const
  const { page: size, shape } = await shapeTable(document.typesetter, columns, first, sizes, turn)
  const pages = new ReportPages(document, size, about)
  const table = new TableWriter(document, shape, drawFirstPage(pages, file), () => pages.begin())
  const totals = sums && new Totals(sums)
  let [rows, sent, cuts] = [0, 0, 0]
  for await (const row of joined(first, source)) {
    rows += 1
    refuseAbove(rowsMax, rows)
    cuts += cutTextsIn(row, columns.length)
    totals?.add(row.slice(columns.length))
    await table.addRow(row, turn)
    if (document.waitingBytes < PIECE_BYTES) continue
    yield { bytes: document.take(), rows: rows - sent }
    sent = rows
  }
  let { place } = table
  if (rows === 0) place = pages.text(place, 'The report has no rows.')
  else if (totals) place = await drawTotals(pages, totals, values, place, turn)
  drawEndNotes(pages, place, cuts)
  yield { bytes: pages.finish(), rows: rows - sent }
}

/** Reads rows. Groups the digits of their numbers, and writes their ratios in percent. */
async function* readRows(
  columns: readonly FileColumn[],
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<Row, undefined> {
  const numbers = columns.flatMap((column, field) =>
    alignmentOf(column) === 'point'
      ? [{ field, write: column.kind === 'ratio' ? inPercent : groupDigits }]
      : [],
  )
  for await (const records of readRecords(chunks)) {
    for (const record of records) {
      const shown = [...record]
      for (const { field, write } of numbers) shown[field] = write(record[field] ?? '')
      yield shown
    }
  }
}

async function* joined(first: readonly Row[], others: AsyncIterable<Row>): AsyncGenerator<Row> {
  yield* first
  yield* others
}

async function drawTotals(
  pages: ReportPages,
  totals: Totals,
  { decimalSeparator }: ValueStyle,
  before: TablePlace,
  turn: Turn,
): Promise<TablePlace> {
  if (totals.areTooMany) {
    const text = 'The report has too many groups for totals. Request totals: only.'
    return pages.text(pages.heading(before, 'Totals'), text)
  }
  let place = before
  for (const { heading, by, summed, groups } of totals.tables()) {
    const columns = [...by, { title: 'Rows', kind: 'integer' } as const, ...summed]
    const rows = groups.map(({ keys, rows: count, sums, digits }) => {
      const texts = summed.map(({ kind }, index) => {
        const sum = sums[index]
        if (sum === undefined) return ''
        return kind === 'money'
          ? showAmount(sum, digits[index] ?? 0, decimalSeparator)
          : groupDigits(String(sum))
      })
      return { fields: [...keys, groupDigits(String(count)), ...texts] }
    })
    place = pages.heading(place, heading, (rows.length + TITLE_LINES) * ROW_ROOM)
    place = await pages.table(place, heading, { columns, rows }, turn)
  }
  return place
}
