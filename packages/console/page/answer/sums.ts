import type { CatalogueColumn, CatalogueReport } from '@counterfoil/client'
import { formatDecimal, parseDecimal } from '@counterfoil/protocol'
import { decimalsIn, formatSum } from './amounts.ts'

/** A value of a cell: money, ids, days and times are texts, counts are numbers, and a missing value is `null`. */
export type Cell = string | number | null

export interface Column extends Pick<CatalogueColumn, 'name' | 'kind' | 'currencyColumn'> {
  /** The title in the file, by default the column's name. */
  readonly title: string
}

export type Described = Pick<
  CatalogueReport,
  | 'title'
  | 'columns'
  | 'totals'
  | 'note'
  | 'inputReportParameters'
  | 'configurationReportParameters'
>

export function currencyOf(amount: Column, columns: readonly Column[]): Column | undefined {
  return columns.find(({ name }) => name === amount.currencyColumn)
}

type Sum = ReturnType<typeof sumOf>

/** Rows with the same values in the columns that separate them. Values and sums are by the names of their columns. */
export interface Group {
  readonly values: Readonly<Record<string, string>>
  rows: number
  readonly sums: Readonly<Record<string, Sum>>
}

export interface Place {
  readonly name: string
  readonly at: number
  /** Whether only the day of a time counts: it is the day in the report's time zone. */
  readonly isDay?: boolean
}

/** Creates groups without rows, by texts that identify them. `add` returns the text of a row's group. */
export function createGroups(by: readonly Place[], summed: readonly Place[]) {
  const all = new Map<string, Group>()
  const createGroup = (key: readonly string[]): Group => ({
    values: Object.fromEntries(by.map(({ name }, index) => [name, key[index] ?? ''])),
    rows: 0,
    sums: Object.fromEntries(summed.map(({ name }) => [name, sumOf([])])),
  })
  return {
    all,
    add(cells: readonly Cell[]) {
      const key = by.map(({ at, isDay }) => textOf(cells[at]).slice(0, isDay ? 10 : undefined))
      const id = JSON.stringify(key)
      const group = all.get(id) ?? createGroup(key)
      all.set(id, group)
      group.rows += 1
      for (const { name, at } of summed) addTo(group.sums[name], cells[at])
      return id
    },
  }
}

/** An account's opening balance in its first row, and its closing balance in its last row. */
interface Account {
  readonly group: string
  readonly opening: Cell | undefined
  readonly closing: Cell | undefined
}

export const NO_TOTALS: NonNullable<Described['totals']> = { by: [], columns: [] }

/** The sums that a report's file declares, each group for itself. */
export type RowTotals = ReturnType<typeof createRowTotals>

/** Creates the totals that a report declares. There are none if the rows lack a column that separates them. */
export function createRowTotals(
  columns: readonly Column[],
  { totals: declared = NO_TOTALS }: Pick<Described, 'totals'>,
) {
  const find = (names: readonly string[]): readonly Place[] => {
    return names.flatMap((name) => {
      const at = columns.findIndex((one) => one.name === name)
      return at < 0 ? [] : [{ name, at }]
    })
  }
  const by = find(declared.by)
  const summed = by.length === declared.by.length ? find(declared.columns) : []
  const { opening = '', closing = '', account = [] } = declared.balances ?? {}
  const [first, last] = [find([opening]), find([closing])]
  const accountBy = find(account)
  const isFound = first.length + last.length === 2 && accountBy.length === account.length
  const hasBalances = summed.length > 0 && isFound
  const shown = hasBalances ? [...first, ...summed, ...last] : summed
  const groups = createGroups(by, summed)
  const accounts = new Map<string, Account>()
  const titlesOf = (places: readonly Place[]) => places.map(({ at }) => columns[at]?.title ?? '')
  return {
    by: titlesOf(by),
    /** The titles of the summed columns. Balances stand around the others. */
    columns: titlesOf(shown),
    add: (cells: readonly Cell[]): void => {
      if (summed.length === 0) return
      const group = groups.add(cells)
      if (!hasBalances) return
      const id = JSON.stringify(accountBy.map(({ at }) => textOf(cells[at])))
      const [from, to] = [...first, ...last].map(({ at }) => cells[at])
      const begun = accounts.get(id) ?? { opening: from }
      accounts.set(id, { group, opening: begun.opening, closing: to })
    },
    /** Returns decimal texts by group, empty for no value. The first rows alone have no closing balance. */
    totals: (isComplete: boolean) => {
      const byId = [...groups.all].toSorted(([one], [other]) => (one < other ? -1 : 1))
      return byId.map(([id, { values, rows, sums }]) => {
        const own = isComplete ? [...accounts.values()].filter(({ group }) => group === id) : []
        const ends = {
          [opening]: own.map((one) => one.opening),
          [closing]: own.map((one) => one.closing),
        }
        const show = ({ name, at }: Place) => {
          const { scaled, amounts, digits } = sums[name] ?? sumOf(ends[name] ?? [])
          const column = columns[at]
          const code = values[(column && currencyOf(column, columns)?.name) ?? ''] ?? ''
          return amounts === 0 ? '' : formatSum(formatDecimal(scaled, digits), code)
        }
        return { group: by.map(({ name }) => values[name] ?? ''), rows, sums: shown.map(show) }
      })
    },
  }
}

/** Returns a sum, how many amounts it has, and the most digits after the point that it added. */
function sumOf(cells: readonly (Cell | undefined)[]) {
  const sum = { scaled: 0n, amounts: 0, digits: 0 }
  for (const cell of cells) addTo(sum, cell)
  return sum
}

function addTo(sum: Sum | undefined, cell: Cell | undefined): void {
  const text = textOf(cell)
  const amount = parseDecimal(text)
  if (!sum || amount === undefined) return
  sum.scaled += amount
  sum.amounts += 1
  sum.digits = Math.max(sum.digits, decimalsIn(text))
}

function textOf(cell: Cell | undefined): string {
  return String(cell ?? '')
}
