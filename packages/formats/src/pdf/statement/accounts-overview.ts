import type { ReportFile } from '../../format/format.ts'
import { USUAL_EXPONENT } from '@counterfoil/engine'
import type { Turn } from '@counterfoil/common'
import type { ReportPages } from '../report/report-pages.ts'
import type { TablePlace } from '../table/table-writer.ts'
import { showAmount } from '../group-digits.ts'
import type { AccountBalances } from './check-statements.ts'

const HEADING = 'Accounts'
const COLUMNS = [
  { title: 'Holder', kind: 'text' },
  { title: 'Account', kind: 'text' },
  { title: 'Currency', kind: 'text' },
  { title: 'Opening balance', kind: 'money' },
  { title: 'Movements', kind: 'money' },
  { title: 'Closing balance', kind: 'money' },
] as const

/**
 * Draws the table of all accounts with their balances, and the sums of each currency. A document of one account has
 * none: its section says the same.
 *
 * @returns the place below the table
 */
export async function drawAccountsOverview(
  pages: ReportPages,
  { values, exponents }: Pick<ReportFile, 'values' | 'exponents'>,
  accounts: readonly AccountBalances[],
  before: TablePlace,
  turn: Turn,
): Promise<TablePlace> {
  if (accounts.length < 2) return before
  const fieldsOf = ({ holder, account, currency, opening, closing }: AccountBalances) => {
    const digits = exponents?.get(currency) ?? USUAL_EXPONENT
    const amounts = [opening, closing - opening, closing].map((amount) => {
      return showAmount(amount, digits, values.decimalSeparator)
    })
    return [holder, account, currency, ...amounts]
  }
  const sums = sumsOf(accounts)
  // A currency with one account has its sum in the line of the account.
  const shown = sums.length < accounts.length ? sums : []
  const rows = [
    ...accounts.map((account) => ({ fields: fieldsOf(account) })),
    ...shown.map((sum) => ({ fields: fieldsOf(sum), weight: 'bold' as const })),
  ]
  return await pages.table(
    pages.heading(before, HEADING),
    HEADING,
    { columns: COLUMNS, rows },
    turn,
  )
}

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
