import type { CurrencySums } from '../format/format.ts'

/** The sums of the rows that have the values of the totals' keys in common. */
export interface TotalGroup {
  readonly keys: readonly string[]
  readonly rows: number
  /** The sums as whole numbers. A sum without a value is `undefined`. */
  readonly sums: readonly (bigint | undefined)[]
  /** How many fraction digits each sum shows. */
  readonly digits: readonly number[]
}

/** The heading of these sums. */
export const CURRENCY_HEADING = 'Sums by currency'

/** Adds up the groups of each currency: only the columns whose sum over all its rows has a meaning. */
export function sumsByCurrency(
  groups: readonly TotalGroup[],
  { currency, columns }: CurrencySums,
): readonly TotalGroup[] {
  const currencies = Map.groupBy(groups, ({ keys }) => keys[currency] ?? '')
  return [...currencies]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, own]) => ({
      keys: [key],
      rows: own.reduce((sum, { rows }) => sum + rows, 0),
      sums: columns.map((column) => sumOf(own.map(({ sums }) => sums[column]))),
      digits: columns.map((column) => own[0]?.digits[column] ?? 0),
    }))
}

function sumOf(values: readonly (bigint | undefined)[]): bigint | undefined {
  return values.reduce((sum, value) => {
    return value === undefined ? sum : (sum ?? 0n) + value
  }, undefined)
}
