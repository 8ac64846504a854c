import { isFreeText, printed, type ValueStyle } from '@counterfoil/engine'
import { LIMITS } from '@counterfoil/common'
import type { SelectedColumn } from '../format/format.ts'
import { withoutControls } from './records.ts'

/** Ends a text that is longer than a document shows. */
const CUT_MARK = '… [cut]'

/** Returns the SQL of a column's texts. A text above `LIMITS.pdfTextLengthMax` ends in the mark. */
export function limitedField({ kind, sql }: SelectedColumn, values?: ValueStyle): string {
  const text = printed(kind, sql, values)
  if (!isFreeText(kind)) return text
  const clean = withoutControls(text)
  const max = LIMITS.pdfTextLengthMax
  return `concat(leftUTF8(${clean}, ${max}), if(lengthUTF8(${clean}) > ${max}, '${CUT_MARK}', ''))`
}

/** Returns a text of at most some UTF-16 units. A longer one ends in the mark. */
export function limitText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return beginningOf(text, lengthMax - CUT_MARK.length) + CUT_MARK
}

/** Returns the beginning of a text, without half a character at its end. */
export function beginningOf(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '')
}
