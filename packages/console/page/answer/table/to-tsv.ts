import { neutraliseText } from '@counterfoil/protocol'
import type { Column } from './columns.ts'
import type { Cell } from './json-lines.ts'

/**
 * Writes rows with their titles as tab-separated values, which spreadsheets take from the clipboard. Amounts and
 * numbers stay as they are. A text that begins like a formula gets an apostrophe, as in the gateway's own files.
 */
export function toTsv(columns: readonly Column[], rows: Iterable<readonly Cell[]>): string {
  const lines = [columns.map(({ title }) => quoted(neutraliseText(title))).join('\t')]
  for (const cells of rows) {
    lines.push(cells.map((cell, index) => fieldOf(cell, columns[index]?.kind)).join('\t'))
  }
  return `${lines.join('\n')}\n`
}

function fieldOf(cell: Cell, kind = 'text'): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell)
  const isText = kind === 'text' || (kind === 'id' && !/^-?\d+$/.test(cell))
  return quoted(isText ? neutraliseText(cell) : cell)
}

/** Spreadsheets read a quoted field as CSV has it. */
function quoted(text: string): string {
  return /[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
