import { fieldProblem } from '@counterfoil/common'
import type { FileCheck } from '../../format/format.ts'

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
 * Refuses a number of rows.
 *
 * @throws `invalid-field`
 */
export function refuseAbove(rowsMax: number, rows: number): void {
  if (rows <= rowsMax) return
  const expected = `for PDF a report of at most ${rowsMax} rows; CSV has no limit`
  throw fieldProblem('invalid-field', [{ pointer: '/reportFormat', expected }])
}
