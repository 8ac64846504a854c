import { USUAL_EXPONENT } from '../../../clickhouse/currency-exponent.ts'
import type { ReportFile } from '../../format.ts'
import type { StatementLayout } from '../../layouts.ts'
import type { Color } from '../document/page.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import type { Turn } from '../../../turn.ts'
import type { ReportPages } from '../report/report-pages.ts'
import { MARGIN } from '../table/shape-table.ts'
import { TableTags } from '../table/table-tags.ts'
import { type TablePlace, type TableRow, TableWriter } from '../table/table-writer.ts'
import { limitText } from '../text/limit-text.ts'
import { groupDigits, showAmount } from '../text/group-digits.ts'
import type { TextLine } from '../text/text-line.ts'
import {
  type AccountLine,
  type AccountMovements,
  accountMovements,
  daysOf,
} from './account-lines.ts'
import { LINE_COLUMNS, statementTable, SUM_COLUMNS } from './statement-table.ts'
import { NAME_LENGTH_MAX, type Statement } from './statement.ts'

const HEADING_SIZE = 14
const SMALL_HEADING_SIZE = 11
const TEXT_SIZE = 8.5
const FIGURE_SIZE = 11
const LEADING = 1.45
const HEADING_INK: Color = [0.08, 0.1, 0.16]
const TEXT_INK: Color = [0.1, 0.1, 0.12]
const LABEL_INK: Color = [0.42, 0.44, 0.5]
const WARNING_INK: Color = [0.65, 0.1, 0.1]
const SHADE: Color = [0.945, 0.953, 0.968]

/** The texts that the head of a section has. */
const HEAD_ROLES = ['holder', 'holderId', 'account', 'accountId', 'currency'] as const

const LABELS_WIDTH = 84
const FIGURES_HEIGHT = 42
/** The room that the head of a section and its first day need, in points. */
const SECTION_MIN = 380
/** The room that the sums need around their lines, and for each line. */
const SUMS_AROUND = 70
const SUM_HEIGHT = 17

/** Draws the sections of a document of statements. Each section is an account in one currency. */
export class AccountSection {
  readonly #document: PdfDocument
  readonly #pages: ReportPages
  readonly #file: ReportFile
  readonly #layout: StatementLayout
  readonly #turn: Turn
  #place: TablePlace
  #isFirst = true
  #isContinued = false
  /** What stands above the section on its further pages. */
  #continued: TextLine | undefined

  constructor(
    document: PdfDocument,
    pages: ReportPages,
    file: ReportFile,
    layout: StatementLayout,
    place: TablePlace,
    turn: Turn,
  ) {
    this.#document = document
    this.#pages = pages
    this.#file = file
    this.#layout = layout
    this.#place = place
    this.#turn = turn
  }

  /**
   * Draws the statements of an account, each section after the first on a page of its own.
   *
   * @param isComplete whether no statement of the account follows
   */
  async add(statements: readonly Statement[], isComplete: boolean): Promise<void> {
    const [first, last] = [statements[0], statements.at(-1)]
    if (!first || !last) return
    const fits = this.#isFirst && this.#place.y + SECTION_MIN <= this.#place.bottom
    if (!fits) this.#place = this.#pages.begin()
    this.#isFirst = false
    const movements = accountMovements(statements, this.#layout)
    this.#drawHead(first, last, statements.length, movements)
    await this.#drawLines(movements, first)
    this.#drawSums(movements, first)
    this.#isContinued = !isComplete
  }

  /** Draws the last statements, or that there are none. Returns the place below them. */
  async finish(statements: readonly Statement[]): Promise<TablePlace> {
    await this.add(statements, true)
    if (this.#isFirst) {
      this.#document.tag('P', this.#place.page, () => {
        this.#text('The report has no statements.', TEXT_INK)
      })
    }
    return this.#place
  }

  #drawHead(first: Statement, last: Statement, count: number, movements: AccountMovements): void {
    const [holder, holderId, account, accountId, currency] = HEAD_ROLES.map((role) => {
      return limitText(first.texts[role], NAME_LENGTH_MAX)
    })
    const continued = this.#isContinued ? ', continued' : ''
    const name = `${holder} · ${account} · ${currency}`
    const title = `${name}${continued}`
    this.#continued = this.#document.typesetter.line(`${name}, continued`, 'bold')
    this.#document.bookmark(1, title, this.#place.page, this.#place.y)
    this.#heading(title, HEADING_SIZE)
    const days = first.texts.day === last.texts.day ? '' : ` to ${last.texts.day}`
    this.#fact('Holder', `${holder}, id ${holderId}`)
    this.#fact('Account', `${account}, id ${accountId}`)
    this.#fact('Currency', currency ?? '')
    this.#fact('Days', `${first.texts.day}${days}`)
    this.#fact('Statements', String(count))
    if (movements.gaps === 0) {
      this.#fact('Continuity', 'Each statement opens with the closing balance of the one before.')
    } else {
      const text = `Gaps: ${movements.gaps}. A line marks each statement that does not open with the balance before it.`
      this.#fact('Continuity', text, WARNING_INK)
    }
    this.#figures(movements, first)
  }

  #figures({ opening, closing, credit, debit }: AccountMovements, first: Statement): void {
    const { page, y } = this.#place
    const room = page.size.width - 2 * MARGIN
    page.rectangle([MARGIN, y + 6], { width: room, height: FIGURES_HEIGHT }, SHADE)
    const figures = [
      ['Opening balance', opening],
      ['Credit', credit],
      ['Debit', debit],
      ['Closing balance', closing],
    ] as const
    const width = (room - 20) / figures.length
    const { typesetter } = this.#document
    for (const [index, [label, amount]] of figures.entries()) {
      const x = MARGIN + 10 + index * width
      const name = typesetter.line(label)
      const text = typesetter.line(this.#amount(amount, first), 'bold')
      const natural = (text.width * FIGURE_SIZE) / 1000
      const scale = Math.min(100, ((width - 8) / natural) * 100)
      this.#document.tag('P', page, () => {
        page.text(name, x, y + 20, TEXT_SIZE, LABEL_INK)
        page.text(text, x, y + 37, FIGURE_SIZE, HEADING_INK, scale)
      })
    }
    this.#moveDown(FIGURES_HEIGHT + 16)
  }

  async #drawLines({ lines }: AccountMovements, first: Statement): Promise<void> {
    const table = this.#table(LINE_COLUMNS, first)
    for (const day of daysOf(lines)) {
      if (this.#turn.isOver) await this.#turn.next()
      table.addRowsTogether(day.map((line) => this.#rowOf(line, first)))
    }
    this.#place = table.place
  }

  #rowOf(line: AccountLine, first: Statement): TableRow {
    const { begins, title, count, debit, credit, balance, kind } = line
    const amounts = [debit, credit, balance].map((amount) => this.#amount(amount, first))
    const fields = [
      begins?.texts.day ?? '',
      begins?.texts.statement ?? '',
      title,
      count === undefined ? '' : groupDigits(String(count)),
      ...amounts,
    ]
    return { fields, weight: kind === 'movement' ? 'regular' : 'bold' }
  }

  #drawSums({ sums, debit, credit }: AccountMovements, first: Statement): void {
    this.#moveDown(18)
    // The sums stay on one page. Their heading would otherwise be alone, or their last line.
    const height = SUMS_AROUND + sums.length * SUM_HEIGHT
    if (this.#place.y + height > this.#place.bottom) this.#place = this.#continue()
    this.#heading('Sums by entry', SMALL_HEADING_SIZE)
    const table = this.#table(SUM_COLUMNS, first)
    for (const sum of sums) {
      const amounts = [sum.fees, sum.debit, sum.credit].map((amount) => this.#amount(amount, first))
      table.addRow([
        sum.title,
        sum.count === undefined ? '' : groupDigits(String(sum.count)),
        ...amounts,
      ])
    }
    const fees = sums.reduce<bigint | undefined>((all, sum) => {
      return sum.fees === undefined ? all : (all ?? 0n) + sum.fees
    }, undefined)
    const amounts = [fees, debit, credit].map((amount) => this.#amount(amount, first))
    table.addRow(['All entries', '', ...amounts], 'bold')
    this.#place = table.place
  }

  #table(columns: Parameters<typeof statementTable>[1], first: Statement): TableWriter {
    const { typesetter } = this.#document
    const { page } = this.#place
    const fraction = this.#amount(0n, first).slice(1)
    const shape = statementTable(typesetter, columns, page.size, fraction)
    const tags = new TableTags(this.#document, columns.length)
    return new TableWriter(typesetter, shape, this.#place, () => this.#continue(), tags)
  }

  /** Begins a page that names the section. */
  #continue(): TablePlace {
    const { page, y, bottom } = this.#pages.begin()
    const line = this.#continued
    if (line) {
      const room = ((page.size.width - 2 * MARGIN) * 1000) / TEXT_SIZE
      const scale = Math.min(100, (room / line.width) * 100)
      page.text(line, MARGIN, y + TEXT_SIZE, TEXT_SIZE, LABEL_INK, scale)
    }
    return { page, y: y + TEXT_SIZE * LEADING * 1.5, bottom }
  }

  /** Writes an amount with the fraction digits of its currency, or with all that it has. */
  #amount(amount: bigint | undefined, { texts }: Statement): string {
    if (amount === undefined) return ''
    const { values, exponents } = this.#file
    const digits = exponents?.get(texts.currency) ?? USUAL_EXPONENT
    return showAmount(amount, digits, values.decimalSeparator)
  }

  #heading(text: string, size: number): void {
    const type = size === HEADING_SIZE ? 'H2' : 'H3'
    this.#document.tag(type, this.#place.page, () => this.#drawHeading(text, size))
  }

  #drawHeading(text: string, size: number): void {
    const { typesetter } = this.#document
    const room = ((this.#place.page.size.width - 2 * MARGIN) * 1000) / size
    for (const line of typesetter.lines(text, room, 'bold')) {
      const { page, y } = this.#place
      page.text(line, MARGIN, y + size, size, HEADING_INK)
      this.#moveDown(size * 1.3)
    }
    this.#moveDown(4)
  }

  #fact(label: string, text: string, color = TEXT_INK): void {
    const { typesetter } = this.#document
    const { page, y } = this.#place
    this.#document.tag('P', page, () => {
      page.text(typesetter.line(label), MARGIN, y + TEXT_SIZE, TEXT_SIZE, LABEL_INK)
      this.#text(text, color, LABELS_WIDTH)
    })
  }

  #text(text: string, color: Color, indent = 0): void {
    const { typesetter } = this.#document
    const room = ((this.#place.page.size.width - 2 * MARGIN - indent) * 1000) / TEXT_SIZE
    for (const line of typesetter.lines(text, room)) {
      const { page, y } = this.#place
      page.text(line, MARGIN + indent, y + TEXT_SIZE, TEXT_SIZE, color)
      this.#moveDown(TEXT_SIZE * LEADING)
    }
  }

  #moveDown(points: number): void {
    this.#place = { ...this.#place, y: this.#place.y + points }
  }
}
