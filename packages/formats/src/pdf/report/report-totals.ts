import { exponentOf, hashed, printed, type ValueStyle } from '@counterfoil/engine'
import type { FileColumn, FileSums } from '../../format/format.ts'
import { BalanceSummands } from '../../documents/balance-summands.ts'
import { readAmount } from '../../documents/exact-amounts.ts'
import { ownText } from '../../documents/records.ts'
import {
  CURRENCY_HEADING,
  sumsByCurrency,
  type TotalGroup,
} from '../../documents/sums-by-currency.ts'
import { groupDigits, showAmount } from '../group-digits.ts'
import { limitedField } from '../limit-text.ts'

/** Totals of more groups take too much memory, and nobody reads them. */
const GROUPS_MAX = 10_000
/** The UTF-16 units of all keys together. */
const KEYS_LENGTH_MAX = 2_000_000

interface Group {
  /** What the rows of the group have in common, and the fraction digits of each sum. */
  readonly keys: readonly string[]
  rows: number
  /** A sum without a value is `undefined`. */
  readonly sums: (bigint | undefined)[]
}

/** A table of totals. */
export interface TotalsTable {
  readonly heading: string
  /** The keys of the groups, the number of rows, and the sums. */
  readonly columns: readonly FileColumn[]
  readonly rows: readonly (readonly string[])[]
}

/** Returns the SQL of the fields that totals read: the keys of a group, the fraction digits of sums, the values, and the account. */
export function totalFields(
  { by, columns, accounts }: FileSums,
  values: ValueStyle,
  exponents: ReadonlyMap<string, number>,
): readonly string[] {
  return [
    ...by.map((column) => limitedField(column, values)),
    ...columns.map(({ kind, currencySql }) => {
      return kind === 'money' ? `toString(${exponentOf(currencySql, exponents)})` : `'0'`
    }),
    // Sums are read as decimals, whatever the style of amounts is.
    ...columns.map(({ kind, sql }) => printed(kind, sql)),
    ...(accounts ? [hashed(accounts)] : []),
  ]
}

/**
 * Sums the rows of a report in groups, such as those of a currency. The fields of the groups and of the sums are at the
 * end of each record: `totalFields`. Sums are exact decimals.
 */
export class ReportTotals {
  readonly #sums: FileSums
  readonly #groups = new Map<string, Group>()
  /** The place of the first field in a record. */
  readonly #start: number
  readonly #balances = new BalanceSummands()
  #isTooMany = false
  #keysLength = 0

  constructor(sums: FileSums, columns: number) {
    this.#sums = sums
    this.#start = columns
  }

  get #keyCount(): number {
    return this.#sums.by.length + this.#sums.columns.length
  }

  /** Whether the report has too many groups, so that it has no totals. */
  get isTooMany(): boolean {
    return this.#isTooMany
  }

  /** Adds a record. */
  add(record: readonly string[]): void {
    const values = this.#start + this.#keyCount
    const keys = record.slice(this.#start, values)
    const key = keys.join('\x1f')
    const group = this.#groups.get(key) ?? this.#addGroup(key, keys)
    if (!group) return
    group.rows += 1
    const summands = record.slice(values, values + group.sums.length).map((text) => {
      return text === '' ? undefined : readAmount(text)
    })
    if (this.#sums.accounts) {
      const [opening = 0n, closing = 0n] = summands.splice(-2)
      summands.push(...this.#balances.of(record.at(-1) ?? '', opening, closing))
    }
    for (const [index, summand] of summands.entries()) {
      if (summand !== undefined) group.sums[index] = (group.sums[index] ?? 0n) + summand
    }
  }

  /** Returns the tables of the totals: the sums of each currency, if the report has them, and the sums of each group. */
  tables({ decimalSeparator }: ValueStyle): readonly TotalsTable[] {
    const { by, columns, byCurrency } = this.#sums
    const groups = this.#sortedGroups()
    const rowsOf = (all: readonly TotalGroup[]): TotalsTable['rows'] => {
      return all.map(({ keys, rows, sums, digits }) => {
        const texts = sums.map((sum, index) => {
          return sum === undefined ? '' : showAmount(sum, digits[index] ?? 0, decimalSeparator)
        })
        return [...keys, groupDigits(String(rows)), ...texts]
      })
    }
    const table = { heading: 'Totals', columns: columnsOf(by, columns), rows: rowsOf(groups) }
    if (!byCurrency) return [table]
    const currency = by.slice(byCurrency.currency, byCurrency.currency + 1)
    const summed = byCurrency.columns.flatMap((index) => columns[index] ?? [])
    const rows = rowsOf(sumsByCurrency(groups, byCurrency))
    return [{ heading: CURRENCY_HEADING, columns: columnsOf(currency, summed), rows }, table]
  }

  #sortedGroups(): readonly TotalGroup[] {
    const keyCount = this.#sums.by.length
    return [...this.#groups]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { keys, rows, sums }]) => {
        return {
          keys: keys.slice(0, keyCount),
          rows,
          sums,
          digits: keys.slice(keyCount).map(Number),
        }
      })
  }

  #addGroup(key: string, keys: readonly string[]): Group | undefined {
    this.#keysLength += key.length
    if (this.#groups.size >= GROUPS_MAX || this.#keysLength > KEYS_LENGTH_MAX) {
      this.#isTooMany = true
      return undefined
    }
    const group = {
      keys: keys.map(ownText),
      rows: 0,
      sums: this.#sums.columns.map(() => undefined),
    }
    this.#groups.set(ownText(key), group)
    return group
  }
}

function columnsOf(
  keys: readonly FileColumn[],
  sums: readonly FileColumn[],
): readonly FileColumn[] {
  return [...keys, { title: 'Rows', kind: 'integer' }, ...sums]
}
