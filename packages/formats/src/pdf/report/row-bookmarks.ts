import type { ColumnKind } from '@counterfoil/engine'
import type { FileColumn } from '../../format/format.ts'
import { ownText } from '../../documents/records.ts'
import { beginningOf } from '../limit-text.ts'

/** A bookmark that a row begins. */
export interface RowBookmark {
  readonly level: 1 | 2
  readonly title: string
}

/** A column whose value, or whose day, begins a bookmark when it changes. */
interface BookmarkColumn {
  readonly field: number
  readonly read: (text: string) => string
}

/** Every format of days has so many characters, and begins a time. */
const DAY_LENGTH = 10

const READ: Partial<Record<ColumnKind, BookmarkColumn['read']>> = {
  text: (text) => text,
  date: (text) => text,
  time: (text) => text.slice(0, DAY_LENGTH),
}

/** A document remembers its bookmarks until its end. */
const BOOKMARKS_MAX = 10_000

/** The title of a bookmark for rows without a value. */
const NO_VALUE = '(none)'

const TITLE_LENGTH_MAX = 100

/**
 * Finds the rows that begin bookmarks: those of a day, or of a text such as a merchant and then of its days. The first
 * rows show which columns the report is ordered by: each of their values is in rows that follow each other.
 */
export class RowBookmarks {
  readonly #columns: readonly BookmarkColumn[]
  #last: readonly string[] = []
  #count = 0

  constructor(columns: readonly FileColumn[], rows: readonly (readonly string[])[]) {
    const candidates = columns.flatMap(({ kind }, field) => {
      const read = READ[kind]
      return read ? [{ field, read, isText: kind === 'text' }] : []
    })
    const first = candidates.find((column) => isGrouped(rows, [column]))
    const second =
      first?.isText === true
        ? candidates.find((column) => !column.isText && isGrouped(rows, [first, column]))
        : undefined
    this.#columns = [first, second].filter((column) => column !== undefined)
  }

  /** Returns the bookmarks that a row begins. */
  of(row: readonly string[]): readonly RowBookmark[] {
    const values = valuesOf(row, this.#columns)
    const changed = values.findIndex((value, index) => value !== this.#last[index])
    this.#last = values
    if (changed < 0 || this.#count >= BOOKMARKS_MAX) return []
    this.#count += values.length - changed
    return values.slice(changed).map((value, index) => {
      const title = ownText(beginningOf(value, TITLE_LENGTH_MAX)) || NO_VALUE
      return { level: changed + index === 0 ? 1 : 2, title }
    })
  }
}

function valuesOf(row: readonly string[], columns: readonly BookmarkColumn[]): readonly string[] {
  return columns.map(({ field, read }) => read(row[field] ?? ''))
}

/** Whether rows with the same values follow each other, and some groups have more than one row. */
function isGrouped(
  rows: readonly (readonly string[])[],
  columns: readonly BookmarkColumn[],
): boolean {
  const seen = new Set<string>()
  let last: string | undefined
  for (const row of rows) {
    const key = valuesOf(row, columns).join('\x1f')
    if (key === last) continue
    if (seen.has(key)) return false
    seen.add(key)
    last = key
  }
  return seen.size * 2 <= rows.length || seen.size === 1
}
