import { groupDigits } from '../../documents/amounts.ts'
import type { FileColumn, StatementLayout } from '../../format/format.ts'
import type { TableRow } from '../table/table-writer.ts'
import type { FontWeight } from '../text/fonts.ts'
import type { AccountBalances, Statement, StatementFigures } from './statement.ts'

interface SectionTable {
  readonly columns: readonly FileColumn[]
  readonly rows: readonly TableRow[]
}

export interface AccountTable extends SectionTable {
  /** How many statements have a row: those with movements. */
  readonly shown: number
}

/** A row for each statement with movements. Amounts have the sign of what they do to the balance. */
export function accountTable(
  statements: readonly Statement[],
  { entries }: StatementLayout,
  show: (amount: bigint) => string,
): AccountTable {
  const moving = statements.filter(hasMovement)
  const used = entries
    .map((entry, place) => ({ entry, place }))
    .filter(({ place }) => moving.some(({ entries: own }) => isMovement(own[place])))
  const changeOf = ({ entries: own }: Statement, place: number): bigint => {
    const amount = own[place]?.amount ?? 0n
    return entries[place]?.isCredit === true ? amount : -amount
  }
  const sumOf = (value: (statement: Statement) => bigint | undefined): bigint => {
    return moving.reduce((sum, statement) => sum + (value(statement) ?? 0n), 0n)
  }
  const shownUnless0 = (amount: bigint): string => (amount === 0n ? '' : show(amount))
  const [first, last] = [statements[0], statements.at(-1)]
  // What the balance gained or lost since the statement before the period is a movement of the first statement.
  const start = moving[0] ?? first
  const changes = entries.reduce((sum, _, place) => sum + (start ? changeOf(start, place) : 0n), 0n)
  const before = (start?.closing ?? 0n) - changes
  const opening = before === first?.opening ? 'Opening balance' : 'Balance before'
  const counts = used.map(({ entry, place }) => {
    return entry.count ? groupDigits(String(sumOf(({ entries: own }) => own[place]?.count))) : ''
  })
  const fees = used.map(({ entry, place }) => {
    return entry.fees ? shownUnless0(sumOf(({ entries: own }) => own[place]?.fees)) : ''
  })
  const totals = used.map(({ place }) => shownUnless0(sumOf((own) => changeOf(own, place))))
  const balance = (label: string, amount = 0n): TableRow => {
    return { fields: ['', label, ...used.map(() => ''), show(amount)], weight: 'bold' }
  }
  const line = (label: string, cells: readonly string[], weight?: FontWeight): TableRow[] => {
    return cells.some(Boolean) ? [{ fields: ['', label, ...cells, ''], weight }] : []
  }
  return {
    columns: [
      { title: 'Day', kind: 'date' },
      { title: 'Statement', kind: 'text' },
      ...used.map(({ entry: { title } }) => ({ title, kind: 'money' }) as const),
      { title: 'Balance', kind: 'money' },
    ],
    rows: [
      balance(opening, before),
      ...moving.map((statement) => {
        const { texts, closing } = statement
        const cells = used.map(({ place }) => shownUnless0(changeOf(statement, place)))
        return { fields: [texts.day, texts.statement, ...cells, show(closing)] }
      }),
      ...line('Total', totals, 'bold'),
      ...line('Transactions', counts),
      ...line('Fees charged', fees),
      balance('Closing balance', last?.closing),
    ],
    shown: moving.length,
  }
}

function hasMovement({ entries, opening, closing }: Statement): boolean {
  return opening !== closing || entries.some(isMovement)
}

function isMovement(figures: StatementFigures | undefined): boolean {
  return figures !== undefined && (figures.amount !== 0n || (figures.count ?? 0n) !== 0n)
}

const AMOUNTS = ['Opening balance', 'Movements', 'Closing balance']

/** All accounts with their balances, and the sums of each currency. */
export function accountsTable(
  accounts: readonly AccountBalances[],
  show: (amount: bigint, currency: string) => string,
): SectionTable {
  const row = (one: AccountBalances, weight?: FontWeight): TableRow => {
    const { holder, account, currency, opening, closing } = one
    const amounts = [opening, closing - opening, closing].map((amount) => show(amount, currency))
    return { fields: [holder, account, currency, ...amounts], weight }
  }
  const currencies = [...Map.groupBy(accounts, ({ currency }) => currency)]
  const sums = currencies
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, own]) => ({
      holder: 'All accounts',
      account: '',
      currency,
      opening: own.reduce((sum, { opening }) => sum + opening, 0n),
      closing: own.reduce((sum, { closing }) => sum + closing, 0n),
    }))
  // A currency with one account has its sum in the line of the account.
  const shown = sums.length < accounts.length ? sums : []
  return {
    columns: [
      ...['Holder', 'Account', 'Currency'].map((title) => ({ title, kind: 'text' }) as const),
      ...AMOUNTS.map((title) => ({ title, kind: 'money' }) as const),
    ],
    rows: [...accounts.map((account) => row(account)), ...shown.map((sum) => row(sum, 'bold'))],
  }
}
