import { USUAL_EXPONENT } from '../../../clickhouse/currency-exponent.ts'
import { writeAmount } from '../../exact-amounts.ts'
import type { ReportFile } from '../../format.ts'
import type { FileChart } from '../../layouts.ts'
import { showDay } from '../../show-day.ts'
import type { Color } from '../document/page.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import type { Turn } from '../../../turn.ts'
import { pdfArray, pdfNumber, pdfText } from '../objects/pdf-values.ts'
import type { ReportPages } from '../report/report-pages.ts'
import { MARGIN } from '../table/shape-table.ts'
import type { TableShape } from '../table/table-column.ts'
import { TableTags } from '../table/table-tags.ts'
import { type TablePlace, TableWriter } from '../table/table-writer.ts'
import { groupDigits, showAmount } from '../text/group-digits.ts'
import {
  type CategoryFigures,
  type ChartCounter,
  chartCounter,
  type DayFigures,
} from './chart-figures.ts'
import { chartFields } from './chart-fields.ts'
import { type ChartArea, drawDayBars, drawShareBars } from './draw-bars.ts'

const HEADING_SIZE = 14
const TITLE_SIZE = 10
const TEXT_SIZE = 8
const HEADING_INK: Color = [0.08, 0.1, 0.16]
const NOTE_INK: Color = [0.42, 0.44, 0.5]

/** The part of the page's width that a chart takes. Its figures are beside it. */
const CHART_SHARE = 0.5
const GAP = 24
const DAYS_HEIGHT = 120
/** The room of a category, and of a row of figures, in points. */
const BAR_ROOM = 16
const ROW_ROOM = TEXT_SIZE * 1.9

/** Gathers the figures of a report's charts, and draws them on pages of their own. */
export class ChartPages {
  readonly #document: PdfDocument
  readonly #pages: ReportPages
  readonly #file: ReportFile
  readonly #charts: readonly {
    readonly chart: FileChart
    readonly counter: ChartCounter
    readonly start: number
    readonly end: number
  }[]
  #place: TablePlace | undefined

  /**
   * @param start the place of the first chart's fields in a record
   */
  constructor(document: PdfDocument, pages: ReportPages, file: ReportFile, start: number) {
    this.#document = document
    this.#pages = pages
    this.#file = file
    let field = start
    this.#charts = (file.charts ?? []).map((chart) => {
      const first = field
      field += chartFields(chart).length
      return { chart, counter: chartCounter(chart), start: first, end: field }
    })
  }

  /** Adds a record. */
  add(record: readonly string[]): void {
    for (const { counter, start, end } of this.#charts) counter.add(record.slice(start, end))
  }

  /** Draws the charts that have figures. The gateway may do other work between two charts. */
  async draw(turn: Turn): Promise<void> {
    for (const { chart, counter } of this.#charts) {
      if (turn.isOver) await turn.next()
      const figures = counter.figures()
      if (figures.chart !== 'days') {
        this.#drawCategories(chart.title, figures.chart, figures.categories)
        continue
      }
      for (const currency of figures.currencies) this.#drawDays(chart.title, currency)
      if (figures.otherRows > 0) {
        this.#note(`${figures.otherRows} rows of further currencies are not in these charts.`)
      }
    }
  }

  #drawDays(title: string, { currency, days, otherDays }: DayFigures): void {
    const sorted = [...days].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const [first, last] = [sorted[0]?.[0], sorted.at(-1)?.[0]]
    if (first === undefined || last === undefined) return
    const day = (iso: string): string => showDay(iso, this.#file.values.dateFormat)
    const money = (amount: bigint): string => this.#amount(amount, currency)
    const most = sorted.reduce((top, one) => (one[1] > top[1] ? one : top))
    const least = sorted.reduce((low, one) => (one[1] < low[1] ? one : low))
    const sum = sorted.reduce((all, [, amount]) => all + amount, otherDays)
    const rows = [
      ['First day', day(first), money(sorted[0]?.[1] ?? 0n)],
      ['Last day', day(last), money(sorted.at(-1)?.[1] ?? 0n)],
      ['Highest', day(most[0]), money(most[1])],
      ['Lowest', day(least[0]), money(least[1])],
      ...(otherDays === 0n ? [] : [['Not drawn', 'other days', money(otherDays)]]),
      ['Sum', sorted.length === 1 ? '1 day' : `${sorted.length} days`, money(sum)],
    ]
    const area = this.#panel(`${title}, ${currency}`, DAYS_HEIGHT, rows.length)
    this.#drawFigure(area, `${title}, ${currency}`, () => drawDayBars(area, sorted, { money, day }))
    this.#figures(area, ['', 'Day', currency], rows)
  }

  #drawCategories(
    title: string,
    chart: 'approval' | 'shares',
    categories: readonly CategoryFigures[],
  ): void {
    if (!categories.some(({ whole }) => whole > 0n)) return
    const height = categories.length * BAR_ROOM
    const area = this.#panel(title, height, categories.length)
    this.#drawFigure(area, title, () => drawShareBars(area, categories, BAR_ROOM))
    const isShares = chart === 'shares'
    const titles = isShares ? ['', 'Count', 'Share'] : ['', 'Approved', 'Decided', 'Share']
    const rows = categories.map(({ name, part, whole }) => {
      const counts = isShares ? [part] : [part, whole]
      return [
        name,
        ...counts.map((count) => groupDigits(String(count))),
        this.#percent(part, whole),
      ]
    })
    this.#figures(area, titles, rows)
  }

  /** Draws a chart. Its text for readers who do not see it names the figures, which follow as a table. */
  #drawFigure(
    { page, left, top, width, height }: ChartArea,
    title: string,
    draw: () => void,
  ): void {
    const { structure } = this.#document
    const bottom = page.size.height - top - height - 16
    const box = [left, bottom, left + width, page.size.height - top].map(pdfNumber)
    const alt = pdfText(`Bar chart: ${title}. The table after it has its figures.`)
    const layout = `/A<</O/Layout/Placement/Block/BBox${pdfArray(box)}>>`
    const figure = structure?.open('Figure', undefined, `/Alt${alt}${layout}`)
    page.figure(figure, draw)
    structure?.close(figure)
  }

  /** Draws the title of a chart, and returns the room below it. */
  #panel(title: string, height: number, rows: number): ChartArea {
    const { typesetter } = this.#document
    const room = Math.max(height + 16, (rows + 1) * ROW_ROOM)
    const needed = room + TITLE_SIZE * 2 + 24
    if (!this.#place) {
      this.#place = this.#pages.begin()
      const { page, y } = this.#place
      this.#document.bookmark(1, 'Charts', page, y)
      const heading = typesetter.line('Charts', 'bold')
      this.#document.tag('H2', page, () => {
        page.text(heading, MARGIN, y + HEADING_SIZE, HEADING_SIZE, HEADING_INK)
      })
      this.#place = { ...this.#place, y: y + HEADING_SIZE + 14 }
    } else if (this.#place.y + needed > this.#place.bottom) {
      this.#place = this.#pages.begin()
    }
    const { page, y } = this.#place
    this.#document.tag('H3', page, () => {
      page.text(typesetter.line(title, 'bold'), MARGIN, y + TITLE_SIZE, TITLE_SIZE, HEADING_INK)
    })
    const top = y + TITLE_SIZE + 10
    this.#place = { ...this.#place, y: y + needed }
    const width = (page.size.width - 2 * MARGIN) * CHART_SHARE
    return { page, typesetter, left: MARGIN, top, width, height }
  }

  /** Draws the figures of a chart as a table beside it. */
  #figures(
    { page, top, left, width }: ChartArea,
    titles: readonly string[],
    rows: readonly (readonly string[])[],
  ): void {
    const { typesetter } = this.#document
    const start = left + width + GAP
    const right = page.size.width - MARGIN
    const others = titles.length - 1
    const nameRoom = Math.min(110, (right - start) * 0.36)
    const room = (right - start - nameRoom - others * 8) / others
    const columns = titles.map((title, field) => ({
      title,
      alignment: field === 0 || title === 'Day' ? ('left' as const) : ('point' as const),
      field,
      left: field === 0 ? start : start + nameRoom + 8 + (field - 1) * (room + 8),
      width: field === 0 ? nameRoom : room,
      fraction: 0,
    }))
    const shape: TableShape = { bands: [columns], fontSize: TEXT_SIZE, left: start, right }
    const bottom = page.size.height
    const tags = new TableTags(this.#document, titles.length)
    const begin = { page, y: top - 4, bottom }
    const table = new TableWriter(typesetter, shape, begin, () => this.#pages.begin(), tags)
    for (const row of rows) table.addRow(row)
    // Figures that do not fit beside the chart go on to the next page.
    if (table.place.page !== page) this.#place = table.place
  }

  #note(text: string): void {
    if (!this.#place) return
    const { page, y } = this.#place
    const line = this.#document.typesetter.line(text)
    this.#document.tag('P', page, () => page.text(line, MARGIN, y, TEXT_SIZE, NOTE_INK))
    this.#place = { ...this.#place, y: y + 2 * TEXT_SIZE }
  }

  #amount(amount: bigint, currency: string): string {
    const { values, exponents } = this.#file
    const digits = exponents?.get(currency) ?? USUAL_EXPONENT
    return showAmount(amount, digits, values.decimalSeparator)
  }

  #percent(part: bigint, whole: bigint): string {
    if (whole === 0n) return ''
    const hundredths = (part * 20_000n + whole) / (2n * whole)
    return `${writeAmount(hundredths * 100n, 2, this.#file.values.decimalSeparator)} %`
  }
}
