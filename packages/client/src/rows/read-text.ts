import type { RowValue } from './row.ts'

/** Reads the text of a field. Returns `undefined` if the text is no value of the column's kind. */
export type ReadText = (text: string) => RowValue | undefined

const emptyAsNull: ReadText = (text) => (text === '' ? null : text)

/** How CSV fields become values. The fields of other kinds stay as they are: an empty one may be a text or missing. */
const READERS: Readonly<Record<string, ReadText>> = {
  money: emptyAsNull,
  rate: emptyAsNull,
  ratio: emptyAsNull,
  date: emptyAsNull,
  // The time zone of the report is UTC: see `planRows`.
  time: (text) => (text === '' ? null : `${text.replace(' ', 'T')}Z`),
  integer: (text) => {
    if (text === '') return null
    const count = Number(text)
    return Number.isSafeInteger(count) ? count : undefined
  },
}

/** Returns the reader of a kind of column, or `undefined` if the text of a field is its value. */
export function readerOf(kind: string): ReadText | undefined {
  return Object.hasOwn(READERS, kind) ? READERS[kind] : undefined
}
