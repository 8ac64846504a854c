import { type Column, currencyOf, type Described } from './columns.ts'
import { formatDecimal, parseDecimal } from './decimals.ts'
import type { Cell } from './json-lines.ts'

/** The sum of one column, over the rows with the same values in the columns that separate the report's totals. */
export interface RowTotal {
  /** The values that separate it, such as a currency and a status. */
  readonly group: readonly string[]
  readonly column: string
  /** The currency of an amount. Empty for a count. */
  readonly currency: string
  /** How many values it adds. Undefined for a balance. */
  readonly amounts: number | undefined
  /** Decimal text. */
  readonly sum: string
}

/** Adds up what the report's file declares, each group for itself. */
export interface RowTotals {
  /** The titles of the columns that separate the sums. */
  readonly by: readonly string[]
  add(cells: readonly Cell[]): void
  /** @param isComplete whether these are all rows. The first rows alone have no closing balance. */
  totals(isComplete: boolean): readonly RowTotal[]
}

/** A sum, and the most digits after the point that it added. */
interface Sum {
  scaled: bigint
  amounts: number
  digits: number
}

/** An account's opening balance in its first row, and its closing balance in its last row. */
interface Account {
  readonly group: string
  readonly opening: Cell
  closing: Cell
}

/** Creates the totals that a report declares. There are none if the rows lack a column that separates them. */
export function createRowTotals(
  columns: readonly Column[],
  { totals: declared }: Pick<Described, 'totals'>,
): RowTotals {
  const indexOf = (name: string) => columns.findIndex((column) => column.name === name)
  const by = (declared?.by ?? []).map(indexOf)
  const isSeparated = declared !== undefined && !by.includes(-1)
  const summed = (isSeparated ? declared.columns : []).map(indexOf).filter((index) => index >= 0)
  const balances = isSeparated ? declared.balances : undefined
  const [opening, closing, ...account] = balances
    ? [balances.opening, balances.closing, ...balances.account].map(indexOf)
    : []
  const hasBalances = opening !== undefined && ![opening, closing, ...account].includes(-1)
  const groups = new Map<string, readonly Sum[]>()
  const accounts = new Map<string, Account>()
  const keyOf = (cells: readonly Cell[], indexes: readonly number[]) => {
    return JSON.stringify(indexes.map((index) => String(cells[index] ?? '')))
  }
  const totalOf = (key: string, index: number, { scaled, amounts, digits }: Sum): RowTotal => {
    // `keyOf` wrote it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const group = JSON.parse(key) as readonly string[]
    const column = columns[index]
    const currency = column && currencyOf(column, columns)
    return {
      group,
      column: column?.title ?? '',
      currency: group[by.findIndex((at) => columns[at] === currency)] ?? '',
      amounts,
      sum: formatDecimal(scaled, digits),
    }
  }
  return {
    by: by.map((index) => columns[index]?.title ?? ''),
    add(cells) {
      if (summed.length === 0) return
      const group = keyOf(cells, by)
      const sums = groups.get(group) ?? summed.map(() => ({ scaled: 0n, amounts: 0, digits: 0 }))
      groups.set(group, sums)
      for (const [at, sum] of sums.entries()) addTo(sum, cells[summed[at] ?? -1] ?? null)
      if (!hasBalances) return
      const key = keyOf(cells, account)
      const known = accounts.get(key) ?? { group, opening: cells[opening] ?? null, closing: null }
      known.closing = cells[closing ?? -1] ?? null
      accounts.set(key, known)
    },
    totals(isComplete) {
      const balanceOf = (group: string, end: 'opening' | 'closing', index = -1): RowTotal[] => {
        if (!hasBalances || !isComplete) return []
        const sum: Sum = { scaled: 0n, amounts: 0, digits: 0 }
        for (const one of accounts.values()) if (one.group === group) addTo(sum, one[end])
        return [{ ...totalOf(group, index, sum), amounts: undefined }]
      }
      return [...groups]
        .toSorted(byKey)
        .flatMap(([group, sums]) => [
          ...balanceOf(group, 'opening', opening),
          ...sums.map((sum, at) => totalOf(group, summed[at] ?? -1, sum)),
          ...balanceOf(group, 'closing', closing),
        ])
    },
  }
}

function addTo(sum: Sum, cell: Cell): void {
  const text = String(cell ?? '')
  const amount = parseDecimal(text)
  if (amount === undefined) return
  sum.scaled += amount
  sum.amounts += 1
  const point = text.indexOf('.')
  if (point >= 0) sum.digits = Math.max(sum.digits, text.length - point - 1)
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}
