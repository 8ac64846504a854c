import type { StatementLayout } from '../../layouts.ts'
import type { Statement } from './statement.ts'

/** A line of an account: a movement, or a balance. Amounts are ten-thousandths. */
export interface AccountLine {
  /** The statement that the line begins, if it begins one. */
  readonly begins: Statement | undefined
  readonly title: string
  readonly count: bigint | undefined
  readonly debit: bigint | undefined
  readonly credit: bigint | undefined
  readonly balance: bigint
  readonly kind: 'balance' | 'movement' | 'gap'
}

/** An entry over all statements of an account. */
export interface EntrySum {
  readonly title: string
  readonly count: bigint | undefined
  readonly debit: bigint | undefined
  readonly credit: bigint | undefined
  readonly fees: bigint | undefined
}

/** An account in a period: its lines, its entries summed, and its balances. */
export interface AccountMovements {
  readonly lines: readonly AccountLine[]
  readonly sums: readonly EntrySum[]
  readonly opening: bigint
  readonly closing: bigint
  readonly debit: bigint
  readonly credit: bigint
  /** How many statements do not open with the balance before them. */
  readonly gaps: number
}

/** The title of what a statement's entries leave out of the difference between its balances. */
export const OTHER_MOVEMENTS = 'Other movements'

/** The title of a difference between two statements. */
export const GAP = 'Gap in the balance'

type Movement = Pick<AccountLine, 'title' | 'count' | 'kind'> & { readonly change: bigint }

/**
 * Makes the lines of an account. The balance runs from the first opening balance to the last closing balance. Where a
 * statement does not open with the balance before it, a line says so. Where the entries of a statement do not lead to
 * its closing balance, a line has the difference.
 */
export function accountMovements(
  statements: readonly Statement[],
  layout: StatementLayout,
): AccountMovements {
  const lines: AccountLine[] = []
  const sums = zerosOf(layout)
  const opening = statements[0]?.opening ?? 0n
  let [balance, gaps, debit, credit] = [opening, 0, 0n, 0n]
  lines.push({ ...NOTHING, begins: statements[0], title: 'Opening balance', balance })
  for (const [index, statement] of statements.entries()) {
    let begins = index === 0 ? undefined : statement
    const move = ({ title, count, kind, change }: Movement): void => {
      balance += change
      const sides = sidesOf(change, title, layout)
      lines.push({ begins, title, count, ...sides, balance, kind })
      begins = undefined
      debit += sides.debit ?? 0n
      credit += sides.credit ?? 0n
      addTo(sums, { title, count, ...sides, fees: undefined })
    }
    if (statement.opening !== balance) {
      gaps += 1
      move({ title: GAP, count: undefined, kind: 'gap', change: statement.opening - balance })
    }
    for (const [place, { title, isCredit }] of layout.entries.entries()) {
      const { amount, count, fees } = statement.entries[place] ?? NO_FIGURES
      if (amount !== 0n || (count ?? 0n) !== 0n) {
        move({ title, count, kind: 'movement', change: isCredit ? amount : -amount })
      }
      if (fees !== undefined) addTo(sums, { ...NO_SUMS, title, fees })
    }
    const rest = statement.closing - balance
    if (rest !== 0n) {
      move({ title: OTHER_MOVEMENTS, count: undefined, kind: 'movement', change: rest })
    }
    lines.push({ ...NOTHING, begins, title: 'Closing balance', balance })
  }
  return { lines, sums: [...sums.values()], opening, closing: balance, debit, credit, gaps }
}

/** Returns the lines of each statement. Readers compare the lines of a day, so they belong on one page. */
export function daysOf(lines: readonly AccountLine[]): readonly (readonly AccountLine[])[] {
  const days: AccountLine[][] = []
  for (const line of lines) {
    if (line.begins || days.length === 0) days.push([])
    days.at(-1)?.push(line)
  }
  return days
}

const NOTHING = { count: undefined, debit: undefined, credit: undefined, kind: 'balance' } as const
const NO_SUMS = { count: undefined, debit: undefined, credit: undefined } as const
const NO_FIGURES = { amount: 0n, count: undefined, fees: undefined } as const

/** An entry has its amounts on its own side, even negative ones. Any other change is on the side of its sign. */
function sidesOf(change: bigint, title: string, { entries }: StatementLayout) {
  const isCredit = entries.find((entry) => entry.title === title)?.isCredit ?? change > 0n
  return {
    debit: isCredit ? undefined : -change,
    credit: isCredit ? change : undefined,
  }
}

function addTo(sums: Map<string, EntrySum>, added: EntrySum): void {
  const known = sums.get(added.title)
  sums.set(added.title, {
    title: added.title,
    count: plus(known?.count, added.count),
    debit: plus(known?.debit, added.debit),
    credit: plus(known?.credit, added.credit),
    fees: plus(known?.fees, added.fees),
  })
}

function plus(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined ? b : a + (b ?? 0n)
}

/** The entries of the layout in their order, without movements. */
function zerosOf({ entries }: StatementLayout): Map<string, EntrySum> {
  return new Map(
    entries.map(({ title, count, fees, isCredit }) => [
      title,
      {
        title,
        count: count && 0n,
        debit: isCredit ? undefined : 0n,
        credit: isCredit ? 0n : undefined,
        fees: fees && 0n,
      },
    ]),
  )
}
