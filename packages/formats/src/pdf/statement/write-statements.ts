import { Turn } from '@counterfoil/common'
import { type EngineChunk, USUAL_EXPONENT } from '@counterfoil/engine'
import { readRecords } from '../../documents/records.ts'
import { type ReportFile, STATEMENT_ROLES, type StatementLayout } from '../../format/format.ts'
import { PdfDocument } from '../document/pdf-document.ts'
import { showAmount } from '../group-digits.ts'
import { cutTextsIn, limitText } from '../limit-text.ts'
import { refuseAbove } from '../report/check-rows.ts'
import { drawEndNotes } from '../report/end-notes.ts'
import { drawFirstPage } from '../report/first-page.ts'
import { ReportPages, ROW_ROOM } from '../report/report-pages.ts'
import { PAPER_SIZES } from '../table/shape-table.ts'
import { type AccountTable, accountTable } from './account-table.ts'
import { drawAccountsOverview } from './accounts-overview.ts'
import type { AccountBalances } from './check-statements.ts'
import { drawLetterhead } from './draw-letterhead.ts'
import { accountOf, NAME_LENGTH_MAX, readStatement, type Statement } from './statement.ts'

/**
 * The statements of one section, whose balances stand before its lines. An account with more statements goes on in
 * another section, so that memory does not grow with the rows.
 */
const SECTION_STATEMENTS_MAX = 1000

/** The room of the text and the titles above the rows of a section, and below the text, in points. */
const HEAD_ROOM = 66
const TEXT_BELOW = 6

/** The statements of an account in one currency. */
interface Section {
  readonly statements: readonly Statement[]
  /** Whether the section before has statements of the account. */
  readonly isContinued: boolean
}

/**
 * Writes statements as a PDF document with an overview of the accounts and a section for each of them.
 *
 * @param accounts the accounts to list in the overview
 * @throws `invalid-field` if rows arrived since `checkRows`, so that the report has more than `rowsMax`
 */
export async function* writeStatements(
  file: ReportFile,
  layout: StatementLayout,
  accounts: readonly AccountBalances[],
  chunks: AsyncIterable<EngineChunk>,
  { rowsMax, isTagged }: { readonly rowsMax: number; readonly isTagged: boolean },
): AsyncGenerator<EngineChunk, void> {
  const { about, exponents, style, values } = file
  const document = await PdfDocument.open(about, isTagged)
  const pages = new ReportPages(document, PAPER_SIZES[style.paper], about)
  const turn = new Turn()
  const letterhead = file.settings?.pdf.letterhead
  const first = drawFirstPage(pages, file, (top) => {
    return letterhead ? drawLetterhead(document, top, letterhead) : top.y
  })
  let place = await drawAccountsOverview(pages, file, accounts, first, turn)
  let [rows, sent, cuts, shown, still] = [0, 0, 0, 0, 0]
  const onRecord = (record: readonly string[]): void => {
    rows += 1
    refuseAbove(rowsMax, rows)
    cuts += cutTextsIn(record, STATEMENT_ROLES.length)
  }
  for await (const section of sectionsOf(chunks, layout, turn, onRecord)) {
    const currency = section.statements[0]?.texts.currency ?? ''
    const digits = exponents?.get(currency) ?? USUAL_EXPONENT
    const table = accountTable(section.statements, layout, (amount) => {
      return showAmount(amount, digits, values.decimalSeparator)
    })
    // An overview lists the accounts, so that those without movements need no section.
    if (table.shown === 0 && accounts.length > 1) {
      still += 1
      continue
    }
    shown += 1
    const { title, name, text } = headOf(section, table)
    place = pages.heading(place, title, HEAD_ROOM + table.rows.length * ROW_ROOM)
    place = pages.text(place, text)
    place = await pages.table({ ...place, y: place.y + TEXT_BELOW }, name, table, turn)
    yield { bytes: document.take(), rows: rows - sent }
    sent = rows
  }
  if (shown + still === 0) place = pages.text(place, 'The report has no statements.')
  if (still > 0) {
    const text = `Accounts without movements in the period, which only the first list has: ${still}.`
    place = pages.text(place, text)
  }
  drawEndNotes(pages, place, cuts)
  yield { bytes: pages.finish(), rows: rows - sent }
}

async function* sectionsOf(
  chunks: AsyncIterable<EngineChunk>,
  layout: StatementLayout,
  turn: Turn,
  onRecord: (record: readonly string[]) => void,
): AsyncGenerator<Section, void> {
  let [statements, isContinued] = [[] as Statement[], false]
  for await (const records of readRecords(chunks)) {
    for (const record of records) {
      if (turn.isOver) await turn.next()
      onRecord(record)
      const statement = readStatement(record, layout)
      const [before] = statements
      const isOther = before !== undefined && accountOf(before) !== accountOf(statement)
      if (isOther || statements.length === SECTION_STATEMENTS_MAX) {
        yield { statements, isContinued }
        isContinued = !isOther
        statements = []
      }
      statements.push(statement)
    }
  }
  if (statements.length > 0) yield { statements, isContinued }
}

/** Returns the heading of a section, the name of its account, and the text below the heading. */
function headOf({ statements, isContinued }: Section, { shown }: AccountTable) {
  const [first, last] = [statements[0]?.texts, statements.at(-1)?.texts]
  const nameOf = (text = ''): string => limitText(text, NAME_LENGTH_MAX)
  const name = [first?.holder, first?.account, first?.currency].map(nameOf).join(' · ')
  const days = first?.day === last?.day ? '' : ` to ${last?.day}`
  const left = statements.length - shown
  const hidden = left > 0 ? `, of which ${left} without movements are not listed` : ''
  return {
    name,
    title: isContinued ? `${name}, continued` : name,
    text: `Holder id ${nameOf(first?.holderId)}, account id ${nameOf(first?.accountId)}. ${first?.day}${days}, statements: ${statements.length}${hidden}.`,
  }
}
