import type { ValueStyle } from '../../../column-kinds.ts'
import { readAmount, writeAmount } from '../../exact-amounts.ts'
import { ownText } from '../../records.ts'
import type { FileColumn } from '../../columns.ts'
import type { FileSums } from '../../format.ts'

/** Totals of more groups take too much memory, and nobody reads them. */
const GROUPS_MAX = 10_000

interface Group {
  readonly keys: readonly string[]
  rows: number
  /** A sum without a value is `undefined`. */
  readonly sums: (bigint | undefined)[]
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
  #isTooMany = false

  constructor(sums: FileSums, columns: number) {
    this.#sums = sums
    this.#start = columns
  }

  /** The columns of the totals: the keys of the groups, the number of rows, and the sums. */
  get columns(): readonly FileColumn[] {
    return [...this.#sums.by, { title: 'Rows', kind: 'integer' }, ...this.#sums.columns]
  }

  /** Whether the report has too many groups, so that it has no totals. */
  get isTooMany(): boolean {
    return this.#isTooMany
  }

  /** Adds a record. */
  add(record: readonly string[]): void {
    const values = this.#start + this.#sums.by.length
    const keys = record.slice(this.#start, values)
    const key = keys.join('\x1f')
    const group = this.#groups.get(key) ?? this.#addGroup(key, keys)
    if (!group) return
    group.rows += 1
    for (let index = 0; index < group.sums.length; index += 1) {
      const text = record[values + index] ?? ''
      if (text !== '') group.sums[index] = (group.sums[index] ?? 0n) + readAmount(text)
    }
  }

  /** Returns a row for each group. */
  rows({ decimals, decimalSeparator }: ValueStyle): readonly (readonly string[])[] {
    const groups = [...this.#groups].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return groups.map(([, { keys, rows, sums }]) => {
      const texts = sums.map((sum, index) => {
        if (sum === undefined) return ''
        const isWhole = this.#sums.columns[index]?.kind === 'integer'
        return writeAmount(sum, isWhole ? 0 : decimals, decimalSeparator)
      })
      return [...keys, String(rows), ...texts]
    })
  }

  #addGroup(key: string, keys: readonly string[]): Group | undefined {
    if (this.#groups.size >= GROUPS_MAX) {
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
