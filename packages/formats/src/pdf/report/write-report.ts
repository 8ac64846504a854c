import { fieldProblem, Turn } from '@counterfoil/common'
import { type EngineChunk, exponentOf, printedAmount, type ValueStyle } from '@counterfoil/engine'
import { groupDigits, inPercent, showAmount } from '../../documents/amounts.ts'
import { limitedField } from '../../documents/limit-text.ts'
import { lookAhead, readRecords, recordOf } from '../../documents/records.ts'
import { totalFields, Totals } from '../../documents/totals.ts'
import type {
  FileColumn,
  FormatSettings,
  ReportFile,
  SelectedColumn,
  TextFilePlan,
} from '../../format/format.ts'
import { PdfDocument } from '../document/pdf-document.ts'
import { ReportPages } from '../document/report-pages.ts'
import { PAPER_SIZES } from '../document/style.ts'
import { alignmentOf, shapeTable } from '../table/shape-table.ts'
import { ROW_ROOM, TableWriter, writeTable } from '../table/table-writer.ts'
import { drawFirstPage } from './first-page.ts'

/** The rows that decide how wide columns are. */
const FIRST_ROWS = 1000

const PIECE_BYTES = 32_768

const TITLE_LINES = 2

/** The part of a plan that depends on what a document shows. */
export type PdfPlan = Pick<TextFilePlan, 'select' | 'write' | 'check'>

/** Plans a document with a table: the engine sends the fields of each row, and what `Totals` reads. */
export function planReport(file: ReportFile, limits: FormatSettings['pdf']): PdfPlan {
  const { rowsMax, taggedRowsMax } = limits
  const { values, sums, exponents = new Map() } = file
  const field = (column: SelectedColumn, index: number): string => {
    if (column.kind !== 'money') return limitedField(column, values)
    const exponent = exponentOf(column.currencySql, exponents)
    return printedAmount(column.sql, `_amount${index}`, exponent, values.decimalSeparator)
  }
  const keys = sums?.by.map((column) => limitedField(column, values)) ?? []
  const totals = sums ? totalFields(keys, sums, exponents) : []
  let rows: number | undefined
  return {
    select: (columns) => recordOf([...columns.map(field), ...totals]),
    write: (chunks) => {
      // A note is about the figures. Without rows, there are none.
      const about = rows === 0 ? { ...file.about, note: undefined } : file.about
      return writeReport({ ...file, about }, chunks, (rows ?? 0) <= taggedRowsMax)
    },
    check: {
      // A byte for each row. The engine reads only the columns of the report's order and conditions.
      select: () => "'.'",
      read: async (chunks) => {
        rows = 0
        for await (const { bytes } of chunks) {
          rows += bytes.length
          refuseAbove(rowsMax, rows)
        }
      },
    },
  }
}

/** Throws `invalid-field` for too many rows. */
export function refuseAbove(rowsMax: number, rows: number): void {
  if (rows <= rowsMax) return
  const expected = `for PDF a report of at most ${rowsMax} rows; CSV has no limit`
  throw fieldProblem('invalid-field', [{ pointer: '/reportFormat', expected }])
}

/** Writes a report as a PDF document: the first page says what it is, a table holds the rows, and totals follow. */
async function* writeReport(
  file: ReportFile,
  chunks: AsyncIterable<EngineChunk>,
  isTagged: boolean,
): AsyncGenerator<EngineChunk, void> {
  const { about, columns, sums, values } = file
  const turn = new Turn()
  const document = await PdfDocument.open(about, isTagged)
  const source = readRows(columns, chunks)
  const { first, all } = await lookAhead(source, ({ length }) => length === FIRST_ROWS)
  const upright = PAPER_SIZES[file.style.paper]
  const sizes = [upright, { width: upright.height, height: upright.width }] as const
  const { page: size, shape } = await shapeTable(document.typesetter, columns, first, sizes, turn)
  const pages = new ReportPages(document, size, about)
  drawFirstPage(pages, file)
  const table = new TableWriter(pages, shape)
  const totals = sums && new Totals(sums)
  let [rows, sent] = [0, 0]
  for await (const row of all) {
    if (turn.isOver) await turn.next()
    rows += 1
    totals?.add(row.slice(columns.length))
    table.addRow(row)
    if (document.waitingBytes < PIECE_BYTES) continue
    yield { bytes: document.take(), rows: rows - sent }
    sent = rows
  }
  if (rows === 0) pages.write('P', 'The report has no rows.')
  else if (totals) await drawTotals(pages, totals, values, turn)
  yield { bytes: pages.finish(), rows: rows - sent }
}

async function* readRows(
  columns: readonly FileColumn[],
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<readonly string[], void> {
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

async function drawTotals(
  pages: ReportPages,
  totals: Totals,
  { decimalSeparator }: ValueStyle,
  turn: Turn,
): Promise<void> {
  if (totals.areTooMany) {
    pages.heading('Totals')
    pages.write('P', 'The report has too many groups for totals. Request totals: only.')
    return
  }
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
    pages.heading(heading, (rows.length + TITLE_LINES) * ROW_ROOM)
    await writeTable(pages, heading, { columns, rows }, turn)
  }
}
