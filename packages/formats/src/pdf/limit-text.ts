import { isFreeText, printed, type ValueStyle } from '@counterfoil/engine'
import { LIMITS } from '@counterfoil/common'
import type { SelectedColumn } from '../format/format.ts'
import { withoutControls } from '../documents/records.ts'

/** Ends a text that is longer than a document shows. */
export const CUT_MARK = '… [cut]'

// Half of a character, which a cut leaves at the end.
const HALF_CHARACTER = /[\ud800-\udbff]$/

/** Returns the SQL of a column's texts. A text above `LIMITS.pdfTextLengthMax` ends in the mark. */
export function limitedField({ kind, sql }: SelectedColumn, values?: ValueStyle): string {
  const text = printed(kind, sql, values)
  if (!isFreeText(kind)) return text
  const clean = withoutControls(text)
  const max = LIMITS.pdfTextLengthMax
  return `concat(leftUTF8(${clean}, ${max}), if(lengthUTF8(${clean}) > ${max}, '${CUT_MARK}', ''))`
}

/** Counts the texts of `limitedField` that the engine cut among the first fields. Only a cut text is longer than the limit. */
export function cutTextsIn(record: readonly string[], fields: number): number {
  const max = LIMITS.pdfTextLengthMax
  let count = 0
  for (let field = 0; field < fields; field += 1) {
    const text = record[field] ?? ''
    if (text.length > max && text.endsWith(CUT_MARK) && Array.from(text).length > max) count += 1
  }
  return count
}

/** Returns the beginning of a text, without half a character at its end. */
export function beginningOf(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, lengthMax).replace(HALF_CHARACTER, '')
}

/** Returns a text, or its beginning with the mark. */
export function limitText(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${beginningOf(text, lengthMax)}${CUT_MARK}`
}
