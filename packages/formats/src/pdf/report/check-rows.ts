import { fieldProblem } from '@counterfoil/common'
import type { FileCheck } from '../../format/format.ts'

/** A limit that even a document without rows exceeds. */
const NOT_TAGGED = -1

/** Counts the rows of a report before its first byte, and refuses a report with more rows than a PDF may have. */
export function checkRows(rowsMax: number, onCounted: (rows: number) => void): FileCheck {
  return {
    // A byte for each row. The engine reads only the columns of the report's order and conditions.
    select: () => "'.'",
    read: async (chunks) => {
      let rows = 0
      for await (const { bytes } of chunks) {
        rows += bytes.length
        refuseAbove(rowsMax, rows)
      }
      onCounted(rows)
    },
  }
}

/**
 * Returns the limit above which a document of so many rows is not tagged. Without a tag from the start, a large file
 * takes no memory for tags that it drops.
 */
export function taggedRowsMaxOf(rows: number | undefined, rowsMax: number): number {
  return (rows ?? 0) > rowsMax ? NOT_TAGGED : rowsMax
}

/**
 * Refuses a number of rows.
 *
 * @throws `invalid-field`
 */
export function refuseAbove(rowsMax: number, rows: number): void {
  if (rows <= rowsMax) return
  const expected = `for PDF a report of at most ${rowsMax} rows; CSV has no limit`
  throw fieldProblem('invalid-field', [{ pointer: '/reportFormat', expected }])
}
