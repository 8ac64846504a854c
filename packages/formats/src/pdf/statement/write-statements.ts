import { Turn } from '@counterfoil/common'
import { type EngineChunk, printedExactly, USUAL_EXPONENT } from '@counterfoil/engine'
import { showAmount } from '../../documents/amounts.ts'
import { limitedField } from '../../documents/limit-text.ts'
import { readRecords, recordOf } from '../../documents/records.ts'
import {
  type FormatSettings,
  type LayoutColumn,
  type ReportFile,
  STATEMENT_ROLES,
  type StatementLayout,
} from '../../format/format.ts'
import { PdfDocument } from '../document/pdf-document.ts'
import { ReportPages } from '../document/report-pages.ts'
import { PAPER_SIZES } from '../document/style.ts'
import { drawFirstPage } from '../report/first-page.ts'
import { type PdfPlan, refuseAbove } from '../report/write-report.ts'
import { ROW_ROOM, writeTable } from '../table/table-writer.ts'
import {
  type AccountBalances,
  accountOf,
  nameOf,
  readAccounts,
  readStatement,
  type Statement,
} from './statement.ts'
import { accountsTable, accountTable } from './statement-tables.ts'

/** The room of the text and the titles above the rows of a section, and below the text, in points. */
const HEAD_ROOM = 66
const TEXT_BELOW = 6

/** Plans a document of statements: the engine sends the columns of the layout in a record for each statement. */
export function planStatements(
  file: ReportFile,
  layout: StatementLayout,
  { rowsMax, taggedRowsMax }: FormatSettings['pdf'],
): PdfPlan {
  const field = (column: LayoutColumn): string => {
    const isExact = column.kind === 'money' || column.kind === 'integer'
    return isExact ? printedExactly(column.sql) : limitedField(column, file.values)
  }
  const heads = STATEMENT_ROLES.map((role) => field(layout.columns[role]))
  const entries = layout.entries
    .flatMap(({ amount, count, fees }) => [amount, count, fees])
    .flatMap((column) => (column ? [field(column)] : []))
  let rows = 0
  let accounts: readonly AccountBalances[] = []
  return {
    select: () => recordOf([...heads, ...entries]),
    write: (chunks) => writeStatements(file, layout, accounts, chunks, rows <= taggedRowsMax),
    check: {
      select: () => recordOf(heads),
      read: async (chunks) => {
        accounts = await readAccounts(chunks, (row) => {
          rows = row
          refuseAbove(rowsMax, rows)
        })
      },
    },
  }
}

/** A document of one account has no overview: its section says the same. */
async function* writeStatements(
  file: ReportFile,
  layout: StatementLayout,
  accounts: readonly AccountBalances[],
  chunks: AsyncIterable<EngineChunk>,
  isTagged: boolean,
): AsyncGenerator<EngineChunk, void> {
  const { about, exponents, style, values } = file
  const document = await PdfDocument.open(about, isTagged)
  const pages = new ReportPages(document, PAPER_SIZES[style.paper], about)
  const turn = new Turn()
  const show = (amount: bigint, currency: string): string => {
    return showAmount(amount, exponents?.get(currency) ?? USUAL_EXPONENT, values.decimalSeparator)
  }
  drawFirstPage(pages, file, file.settings?.pdf.letterhead)
  if (accounts.length > 1) {
    pages.heading('Accounts')
    await writeTable(pages, 'Accounts', accountsTable(accounts, show), turn)
  }
  let [shown, still] = [0, 0]
  for await (const statements of readSections(chunks, layout, turn)) {
    const [first] = statements
    const table = accountTable(statements, layout, (amount) => {
      return show(amount, first?.texts.currency ?? '')
    })
    // An overview lists the accounts, so that those without movements need no section.
    if (table.shown === 0 && accounts.length > 1) {
      still += 1
      yield { bytes: document.take(), rows: statements.length }
      continue
    }
    shown += 1
    const { holder, account, currency } = first?.texts ?? {}
    const name = [holder, account, currency].map(nameOf).join(' · ')
    pages.heading(name, HEAD_ROOM + table.rows.length * ROW_ROOM)
    pages.write('P', aboutSection(statements, table.shown))
    pages.y += TEXT_BELOW
    await writeTable(pages, name, table, turn)
    yield { bytes: document.take(), rows: statements.length }
  }
  if (shown + still === 0) pages.write('P', 'The report has no statements.')
  if (still > 0) {
    const text = `Accounts without movements in the period, which only the first list has: ${still}.`
    pages.write('P', text)
  }
  yield { bytes: pages.finish(), rows: 0 }
}

/** Reads the statements of each account in one currency, which follow each other. */
async function* readSections(
  chunks: AsyncIterable<EngineChunk>,
  layout: StatementLayout,
  turn: Turn,
): AsyncGenerator<readonly Statement[], void> {
  let statements: Statement[] = []
  for await (const records of readRecords(chunks)) {
    for (const record of records) {
      if (turn.isOver) await turn.next()
      const statement = readStatement(record, layout)
      const [before] = statements
      if (before && accountOf(before) !== accountOf(statement)) {
        yield statements
        statements = []
      }
      statements.push(statement)
    }
  }
  if (statements.length > 0) yield statements
}

function aboutSection(statements: readonly Statement[], shown: number): string {
  const [first, last] = [statements[0]?.texts, statements.at(-1)?.texts]
  const days = first?.day === last?.day ? '' : ` to ${last?.day}`
  const left = statements.length - shown
  const hidden = left > 0 ? `, of which ${left} without movements are not listed` : ''
  return `Holder id ${nameOf(first?.holderId)}, account id ${nameOf(first?.accountId)}. ${first?.day}${days}, statements: ${statements.length}${hidden}.`
}
