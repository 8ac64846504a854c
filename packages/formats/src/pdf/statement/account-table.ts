import type { FileColumn, StatementLayout } from '../../format/format.ts'
import type { TableRow } from '../table/table-writer.ts'
import { groupDigits } from '../group-digits.ts'
import type { Statement, StatementFigures } from './statement.ts'

/** The table of an account in a period. */
export interface AccountTable {
  readonly columns: readonly FileColumn[]
  readonly rows: readonly TableRow[]
  /** How many statements have a row: those with movements. */
  readonly shown: number
}

/**
 * Makes the table of an account: a row for each statement with movements, and a column for each entry that occurs.
 * Amounts have the sign of what they do to the balance, so that each row adds up from the balance above it.
 *
 * @param show writes an amount of ten-thousandths
 */
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
  const shownSum = (amount: bigint): string => (amount === 0n ? '' : show(amount))
  const line = (
    day: string,
    label: string,
    cells: readonly string[],
    balance: bigint | undefined,
  ) => {
    return [day, label, ...cells, balance === undefined ? '' : show(balance)]
  }
  const none = used.map(() => '')
  const [first, last] = [statements[0], statements.at(-1)]
  // What the balance gained or lost since the statement before the period is a movement of the first statement.
  const start = moving[0] ?? first
  const changes = entries.reduce((sum, _, place) => sum + (start ? changeOf(start, place) : 0n), 0n)
  const before = (start?.closing ?? 0n) - changes
  const isOpening = before === first?.opening
  const counts = used.map(({ entry, place }) => {
    return entry.count ? groupDigits(String(sumOf(({ entries: own }) => own[place]?.count))) : ''
  })
  const fees = used.map(({ entry, place }) => {
    return entry.fees ? shownSum(sumOf(({ entries: own }) => own[place]?.fees)) : ''
  })
  const totals = used.map(({ place }) => shownSum(sumOf((statement) => changeOf(statement, place))))
  const rows: TableRow[] = [
    {
      fields: line('', isOpening ? 'Opening balance' : 'Balance before', none, before),
      weight: 'bold',
    },
    ...moving.map((statement) => {
      const { texts, closing } = statement
      const cells = used.map(({ place }) => shownSum(changeOf(statement, place)))
      return {
        fields: line(texts.day, texts.statement, cells, closing),
      }
    }),
    { fields: line('', 'Total', totals, undefined), weight: 'bold' },
    { fields: line('', 'Transactions', counts, undefined) },
    { fields: line('', 'Fees charged', fees, undefined) },
    { fields: line('', 'Closing balance', none, last?.closing), weight: 'bold' },
  ]
  return {
    columns: [
      { title: 'Day', kind: 'date' },
      { title: 'Statement', kind: 'text' },
      ...used.map(({ entry: { title } }) => ({ title, kind: 'money' }) as const),
      { title: 'Balance', kind: 'money' },
    ],
    rows: rows.filter(({ fields }) => fields.some((field, index) => index > 1 && field !== '')),
    shown: moving.length,
  }
}

function hasMovement({ entries, opening, closing }: Statement): boolean {
  return opening !== closing || entries.some(isMovement)
}

function isMovement(figures: StatementFigures | undefined): boolean {
  return figures !== undefined && (figures.amount !== 0n || (figures.count ?? 0n) !== 0n)
}
