import type { PdfDocument } from '@counterfoil/pdf-writer'
import { USUAL_EXPONENT } from '../../../clickhouse/currency-exponent.ts'
import type { ReportFile } from '../../format.ts'
import type { Turn } from '../../../turn.ts'
import type { Prose } from '../report/prose.ts'
import { TableTags } from '../table/table-tags.ts'
import { type TablePlace, TableWriter } from '../table/table-writer.ts'
import { showAmount } from '../group-digits.ts'
import type { AccountBalances } from './check-statements.ts'
import { ACCOUNT_COLUMNS, statementTable } from './statement-table.ts'

/**
 * Draws the table of all accounts with their balances, and the sums of each currency. A document of one account has
 * none: its section says the same.
 *
 * @returns the place below the table
 */
export async function drawAccountsOverview(
  document: PdfDocument,
  prose: Prose,
  { values, exponents }: Pick<ReportFile, 'values' | 'exponents'>,
  accounts: readonly AccountBalances[],
  before: TablePlace,
  turn: Turn,
): Promise<TablePlace> {
  if (accounts.length < 2) return before
  const place = prose.heading(before, HEADING)
  const digitsOf = (currency: string): number => exponents?.get(currency) ?? USUAL_EXPONENT
  const digits = accounts.reduce((most, { currency }) => Math.max(most, digitsOf(currency)), 0)
  const { typesetter } = document
  const shape = statementTable(
    typesetter,
    ACCOUNT_COLUMNS,
    place.page.size,
    showAmount(0n, digits, values.decimalSeparator).slice(1),
  )
  const tags = new TableTags(document, ACCOUNT_COLUMNS.length)
  const table = new TableWriter(typesetter, shape, place, () => prose.continued(HEADING), tags)
  const fieldsOf = ({ holder, account, currency, opening, closing }: AccountBalances) => {
    const amounts = [opening, closing - opening, closing].map((amount) => {
      return showAmount(amount, digitsOf(currency), values.decimalSeparator)
    })
    return [holder, account, currency, ...amounts]
  }
  for (const account of accounts) {
    if (turn.isOver) await turn.next()
    table.addRow(fieldsOf(account))
  }
  const sums = sumsOf(accounts)
  // A currency with one account has its sum in the line of the account.
  if (sums.length < accounts.length) for (const sum of sums) table.addRow(fieldsOf(sum), 'bold')
  return table.place
}

const HEADING = 'Accounts'

function sumsOf(accounts: readonly AccountBalances[]): readonly AccountBalances[] {
  const sums = new Map<string, AccountBalances>()
  for (const { currency, opening, closing } of accounts) {
    const sum = sums.get(currency)
    sums.set(currency, {
      holder: 'All accounts',
      account: '',
      currency,
      opening: (sum?.opening ?? 0n) + opening,
      closing: (sum?.closing ?? 0n) + closing,
    })
  }
  return [...sums.values()].toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
}
