import type { CatalogueColumn, CatalogueReport } from '@counterfoil/client'
import { formatDecimal, parseDecimal } from '@counterfoil/protocol'
import { decimalsIn, formatSum } from './amounts.ts'

/** A value of a cell: money, ids, days and times are texts, counts are numbers, and a missing value is `null`. */
export type Cell = string | number | null

/** A column of the rows that the gateway sends. */
export interface Column extends Pick<CatalogueColumn, 'name' | 'kind' | 'currencyColumn'> {
  /** The title in the file, by default the column's name. */
  readonly title: string
}

/** The part of a report's description that its rows and charts follow from. */
export type Described = Pick<
  CatalogueReport,
  | 'title'
  | 'columns'
  | 'totals'
  | 'note'
  | 'inputReportParameters'
  | 'configurationReportParameters'
>

/** Returns the column with the currency of an amount. */
export function currencyOf(amount: Column, columns: readonly Column[]): Column | undefined {
  return columns.find(({ name }) => name === amount.currencyColumn)
}

/** A sum, how many amounts it has, and the most digits after the point that it added. */
export interface Sum {
  scaled: bigint
  amounts: number
  digits: number
}

/** Rows with the same values in the columns that separate them. Values and sums are by the names of their columns. */
export interface Group {
  readonly values: Readonly<Record<string, string>>
  rows: number
  readonly sums: Readonly<Record<string, Sum>>
}

/** The name of a column, and its place in a row. */
export interface Place {
  readonly name: string
  readonly at: number
  /** Whether only the day of a time counts: it is the day in the report's time zone. */
  readonly isDay?: boolean
}

/** Groups of rows, by texts that identify them. */
export interface Groups {
  readonly all: ReadonlyMap<string, Group>
  /** Adds a row, and returns the text that identifies its group. */
  readonly add: (cells: readonly Cell[]) => string
}

/** Creates groups without rows. */
export function createGroups(by: readonly Place[], summed: readonly Place[]): Groups {
  const all = new Map<string, Group>()
  const createGroup = (key: readonly string[]): Group => ({
    values: Object.fromEntries(by.map(({ name }, index) => [name, key[index] ?? ''])),
    rows: 0,
    sums: Object.fromEntries(summed.map(({ name }) => [name, emptySum()])),
  })
  return {
    all,
    add(cells) {
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

/** The sums of a group as the page shows them. */
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
  readonly add: (cells: readonly Cell[]) => void
  /** @param isComplete whether these are all rows. The first rows alone have no closing balance. */
  readonly totals: (isComplete: boolean) => readonly GroupTotal[]
}

/** An account's opening balance in its first row, and its closing balance in its last row. */
interface Account {
  readonly group: string
  readonly opening: Cell | undefined
  readonly closing: Cell | undefined
}

const NOTHING: NonNullable<Described['totals']> = { by: [], columns: [] }

/** Creates the totals that a report declares. There are none if the rows lack a column that separates them. */
export function createRowTotals(
  columns: readonly Column[],
  { totals: declared = NOTHING }: Pick<Described, 'totals'>,
): RowTotals {
  const find = (names: readonly string[]): readonly Place[] => {
    const places = names.map((name) => ({
      name,
      at: columns.findIndex((one) => one.name === name),
    }))
    return places.filter(({ at }) => at >= 0)
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
    columns: titlesOf(shown),
    add(cells) {
      if (summed.length === 0) return
      const group = groups.add(cells)
      if (!hasBalances) return
      const id = JSON.stringify(accountBy.map(({ at }) => textOf(cells[at])))
      const [from, to] = [...first, ...last].map(({ at }) => cells[at])
      const begun = accounts.get(id) ?? { opening: from }
      accounts.set(id, { group, opening: begun.opening, closing: to })
    },
    totals(isComplete) {
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

function sumOf(cells: readonly (Cell | undefined)[]): Sum {
  const sum = emptySum()
  for (const cell of cells) addTo(sum, cell)
  return sum
}

function emptySum(): Sum {
  return { scaled: 0n, amounts: 0, digits: 0 }
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
