import type { EngineChunk } from '@counterfoil/engine'
import { type ReportFile, STATEMENT_ROLES, type StatementLayout } from '../../format/format.ts'
import { readRecords } from '../../documents/records.ts'
import { Turn } from '@counterfoil/common'
import { PdfDocument } from '../document/pdf-document.ts'
import { PAPER_SIZES } from '../table/shape-table.ts'
import { refuseAbove } from '../report/check-rows.ts'
import { EndNotes } from '../report/end-notes.ts'
import { drawFirstPage } from '../report/first-page.ts'
import { Prose } from '../report/prose.ts'
import { ReportPages } from '../report/report-pages.ts'
import { AccountSections } from './account-sections.ts'
import { drawAccountsOverview } from './accounts-overview.ts'
import { drawLetterhead } from './draw-letterhead.ts'
import type { AccountBalances } from './check-statements.ts'
import { accountOf, readStatement, type Statement } from './statement.ts'

/**
 * The statements of one section, whose balances stand before its lines. An account with more statements goes on in
 * another section, so that memory does not grow with the rows.
 */
const SECTION_STATEMENTS_MAX = 1000

/**
 * Writes statements as a PDF document with an overview of the accounts and a section for each of them.
 *
 * @param accounts the accounts to list in the overview
 * @throws `invalid-field` if rows arrived since `checkRows`, so that the report has more than `rowsMax`
 */
export async function* writeStatements(
  file: ReportFile,
  layout: StatementLayout,
  accounts: readonly AccountBalances[] | undefined,
  chunks: AsyncIterable<EngineChunk>,
  { rowsMax, isTagged }: { readonly rowsMax: number; readonly isTagged: boolean },
): AsyncGenerator<EngineChunk, void> {
  const { about, style } = file
  const document = await PdfDocument.open(file.about, isTagged)
  const pages = new ReportPages(document, PAPER_SIZES[style.paper], about)
  const turn = new Turn()
  const prose = new Prose(document, pages)
  const letterhead = file.settings?.pdf.letterhead
  const first = drawFirstPage(document, pages, file, (top) => {
    return letterhead ? drawLetterhead(document, top, letterhead) : top.y
  })
  const place = await drawAccountsOverview(prose, file, accounts ?? [], first, turn)
  const isListed = (accounts?.length ?? 0) > 1
  const notes = new EndNotes(document, prose)
  const sections = new AccountSections(prose, file, layout, isListed, place, turn)
  let waiting: Statement[] = []
  let [rows, sent] = [0, 0]
  for await (const records of readRecords(chunks)) {
    for (const record of records) {
      notes.count(record, STATEMENT_ROLES.length)
      const statement = readStatement(record, layout)
      const [before] = waiting
      const isOther = before !== undefined && accountOf(before) !== accountOf(statement)
      if (isOther || waiting.length === SECTION_STATEMENTS_MAX) {
        await sections.add(waiting, isOther)
        waiting = []
        yield { bytes: document.take(), rows: rows - sent }
        sent = rows
      }
      if (turn.isOver) await turn.next()
      waiting.push(statement)
      rows += 1
      refuseAbove(rowsMax, rows)
    }
  }
  notes.draw(await sections.finish(waiting))
  yield { bytes: pages.finish(), rows: rows - sent }
}
