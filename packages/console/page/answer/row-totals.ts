import { formatDecimal, parseDecimal } from '@counterfoil/protocol'
import { decimalsIn, formatSum } from './amounts.ts'
import { type Cell, type Column, currencyOf, type Described } from './columns.ts'

/** The rows with the same values in the columns that separate the report's totals, and their sums. */
export interface GroupTotal {
  /** The values that separate it, such as a currency and a status. */
  readonly group: readonly string[]
  readonly rows: number
  /** Decimal text for each summed column. Empty if the group has no value there. */
  readonly sums: readonly string[]
}

/** Adds up what the report's file declares, each group for itself. */
export interface RowTotals {
  /** The titles of the columns that separate the sums. */
  readonly by: readonly string[]
  /** The titles of the summed columns. Balances stand around the others. */
  readonly columns: readonly string[]
  add(cells: readonly Cell[]): void
  /** @param isComplete whether these are all rows. The first rows alone have no closing balance. */
  totals(isComplete: boolean): readonly GroupTotal[]
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
  readonly opening: Cell | undefined
  readonly closing: Cell | undefined
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
  const { opening = '', closing = '', account = [] } = declared?.balances ?? {}
  const accountBy = account.map(indexOf)
  const ends = [indexOf(opening), indexOf(closing)] as const
  const hasBalances = summed.length > 0 && ![...ends, ...accountBy].includes(-1)
  const shown = hasBalances ? [ends[0], ...summed, ends[1]] : summed
  const groups = new Map<string, { rows: number; readonly sums: readonly Sum[] }>()
  const accounts = new Map<string, Account>()
  return {
    by: by.map((index) => columns[index]?.title ?? ''),
    columns: shown.map((index) => columns[index]?.title ?? ''),
    add(cells) {
      if (summed.length === 0) return
      const key = keyOf(cells, by)
      const group = groups.get(key) ?? { rows: 0, sums: summed.map(emptySum) }
      groups.set(key, group)
      group.rows += 1
      for (const [at, sum] of group.sums.entries()) addTo(sum, cells[summed[at] ?? -1])
      if (!hasBalances) return
      const id = keyOf(cells, accountBy)
      const first = accounts.get(id) ?? { opening: cells[ends[0]] }
      accounts.set(id, { group: key, opening: first.opening, closing: cells[ends[1]] })
    },
    totals(isComplete) {
      const balanceOf = (key: string, end: 'opening' | 'closing') => {
        const sum = emptySum()
        for (const one of isComplete ? accounts.values() : []) {
          if (one.group === key) addTo(sum, one[end])
        }
        return sum
      }
      const byKey = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1))
      return byKey.map(([key, { rows, sums }]) => {
        const all = hasBalances
          ? [balanceOf(key, 'opening'), ...sums, balanceOf(key, 'closing')]
          : sums
        // `keyOf` wrote it.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        const group = JSON.parse(key) as readonly string[]
        const textOf = (sum: Sum, at: number) => {
          const column = columns[shown[at] ?? -1]
          const currency = column && currencyOf(column, columns)
          const code = group[by.findIndex((index) => columns[index] === currency)] ?? ''
          return sum.amounts === 0 ? '' : formatSum(formatDecimal(sum.scaled, sum.digits), code)
        }
        return { group, rows, sums: all.map(textOf) }
      })
    },
  }
}

function emptySum(): Sum {
  return { scaled: 0n, amounts: 0, digits: 0 }
}

function addTo(sum: Sum, cell: Cell | undefined): void {
  const text = String(cell ?? '')
  const amount = parseDecimal(text)
  if (amount === undefined) return
  sum.scaled += amount
  sum.amounts += 1
  sum.digits = Math.max(sum.digits, decimalsIn(text))
}

/** The texts of some cells as one text. */
function keyOf(cells: readonly Cell[], indexes: readonly number[]): string {
  return JSON.stringify(indexes.map((index) => String(cells[index] ?? '')))
}
