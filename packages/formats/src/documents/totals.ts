import { exponentOf, hashed, summand } from '@counterfoil/engine'
import type { CurrencySums, FileColumn, FileSums } from '../format/format.ts'
import { ownText } from './records.ts'

/** The sums of the rows that have the values of the totals' keys in common. */
export interface TotalGroup {
  readonly keys: readonly string[]
  readonly rows: number
  /** The sums as whole numbers, amounts in ten-thousandths. A sum without a value is `undefined`. */
  readonly sums: readonly (bigint | undefined)[]
  /** How many fraction digits each sum shows. */
  readonly digits: readonly number[]
}

export interface TotalsTable {
  readonly heading: string
  readonly by: readonly FileColumn[]
  readonly summed: readonly FileColumn[]
  readonly groups: readonly TotalGroup[]
}

/** Totals of more groups take too much memory, and nobody reads them. */
const GROUPS_MAX = 10_000

/** The SQL of what `Totals` reads: keys, fraction digits, values, and a hash of the account if there are balances. */
export function totalFields(
  keys: readonly string[],
  { columns, accounts }: FileSums,
  exponents: ReadonlyMap<string, number>,
): readonly string[] {
  return [
    ...keys,
    ...columns.map(({ kind, currencySql }) => {
      return kind === 'money' ? `toString(${exponentOf(currencySql, exponents)})` : `'0'`
    }),
    ...columns.map(({ kind, sql }) => summand(kind, sql)),
    ...(accounts ? [hashed(accounts)] : []),
  ]
}

type RunningGroup = TotalGroup & { rows: number; readonly sums: (bigint | undefined)[] }

/** Sums the rows of a report in groups, such as those of a currency, exactly. */
export class Totals {
  readonly #sums: FileSums
  readonly #groups = new Map<string, RunningGroup>()
  #account: string | undefined
  #closing = 0n

  constructor(sums: FileSums) {
    this.#sums = sums
  }

  /** Whether the report has too many groups, so that it has no totals. */
  get areTooMany(): boolean {
    return this.#groups.size > GROUPS_MAX
  }

  /** Adds the row of `totalFields`. */
  add(fields: readonly string[]): void {
    if (this.areTooMany) return
    const { by, columns, accounts } = this.#sums
    const values = by.length + columns.length
    const group = this.#groupOf(fields.slice(0, values))
    group.rows += 1
    const summands = fields.slice(values, values + columns.length).map((text) => {
      return text === '' ? undefined : BigInt(text)
    })
    if (accounts) {
      const [opening = 0n, closing = 0n] = summands.splice(-2)
      summands.push(...this.#balanceSummands(fields.at(-1) ?? '', opening, closing))
    }
    for (const [index, value] of summands.entries()) {
      if (value !== undefined) group.sums[index] = (group.sums[index] ?? 0n) + value
    }
  }

  /** Returns the tables of the totals: the sums of each currency, if the report has them, and the sums of each group. */
  tables(): readonly TotalsTable[] {
    const { by, columns, byCurrency } = this.#sums
    const groups = [...this.#groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
    const table = { heading: 'Totals', by, summed: columns, groups }
    if (!byCurrency) return [table]
    const currency = {
      heading: 'Sums by currency',
      by: by.slice(byCurrency.currency, byCurrency.currency + 1),
      summed: byCurrency.columns.flatMap((index) => columns[index] ?? []),
      groups: sumsByCurrency(groups, byCurrency),
    }
    return [currency, table]
  }

  #groupOf(fields: readonly string[]): RunningGroup {
    const key = fields.join('\x1f')
    const known = this.#groups.get(key)
    if (known) return known
    const own = ownText(key).split('\x1f')
    const [count, columns] = [this.#sums.by.length, this.#sums.columns]
    const digits = own.slice(count).map(Number)
    const group = { keys: own.slice(0, count), rows: 0, sums: columns.map(() => undefined), digits }
    this.#groups.set(own.join('\x1f'), group)
    return group
  }

  /**
   * Returns what a row adds to the sums of opening and of closing balances. The rows of an account follow each other:
   * the sum of its opening balances is that of its first row, and that of its closing balances is that of its last row.
   */
  #balanceSummands(account: string, opening: bigint, closing: bigint): readonly [bigint, bigint] {
    const isFirst = account !== this.#account
    const before = isFirst ? 0n : this.#closing
    this.#account = account
    this.#closing = closing
    return [isFirst ? opening : 0n, closing - before]
  }
}

/** Adds up the groups of each currency: only the columns whose sum over all its rows has a meaning. */
function sumsByCurrency(
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
  return values.reduce((sum, value) => (value === undefined ? sum : (sum ?? 0n) + value), undefined)
}
