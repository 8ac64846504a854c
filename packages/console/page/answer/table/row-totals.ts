import { type Column, currencyOf, type Described } from './columns.ts'
import { formatDecimal, parseDecimal } from './decimals.ts'
import type { Cell } from './json-lines.ts'

/** The sum of the amounts of one column and currency. */
export interface AmountTotal {
  readonly column: string
  readonly currency: string
  readonly amounts: number
  /** Decimal text. */
  readonly sum: string
}

/** Adds amounts up, each currency for itself. */
export interface RowTotals {
  add(cells: readonly Cell[]): void
  totals(): readonly AmountTotal[]
}

interface Sum {
  scaled: bigint
  amounts: number
  /** The most digits after the point. */
  digits: number
}

/** Creates the totals of all columns of amounts that have a currency beside them. */
export function createRowTotals(
  columns: readonly Column[],
  described: Pick<Described, 'totals'>,
): RowTotals {
  const added = columns.flatMap((column, index) => {
    const currency = column.kind === 'money' ? currencyOf(column, columns, described) : undefined
    if (!currency) return []
    return [{ index, currencyIndex: columns.indexOf(currency), sums: new Map<string, Sum>() }]
  })
  return {
    add(cells) {
      for (const { index, currencyIndex, sums } of added) {
        const text = cells[index]
        const amount = typeof text === 'string' ? parseDecimal(text) : undefined
        if (typeof text !== 'string' || amount === undefined) continue
        const currency = String(cells[currencyIndex] ?? '')
        const sum = sums.get(currency) ?? { scaled: 0n, amounts: 0, digits: 0 }
        sums.set(currency, sum)
        sum.scaled += amount
        sum.amounts += 1
        const point = text.indexOf('.')
        if (point >= 0) sum.digits = Math.max(sum.digits, text.length - point - 1)
      }
    },
    totals: () =>
      added.flatMap(({ index, sums }) =>
        [...sums].map(([currency, { scaled, amounts, digits }]) => {
          const { title = '' } = columns[index] ?? {}
          return { column: title, currency, amounts, sum: formatDecimal(scaled, digits) }
        }),
      ),
  }
}
