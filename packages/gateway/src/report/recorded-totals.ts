import type { ControlTotal } from '@counterfoil/protocol'
import { LIMITS, withoutCardNumber } from '@counterfoil/common'

/**
 * Returns the control totals for the record of a run, or `undefined` if they are very long. A caller chooses the titles
 * of columns, and each total repeats the title of its column. Titles that hold a card number are left out.
 */
export function recordedTotals(totals: readonly ControlTotal[]): ControlTotal[] | undefined {
  const titles = new Map<string, string>()
  for (const { column } of totals) {
    if (!titles.has(column)) titles.set(column, withoutCardNumber(column))
  }
  const recorded = totals.map((total) => ({ ...total, column: titles.get(total.column) ?? '' }))
  const bytes = Buffer.byteLength(JSON.stringify(recorded))
  return bytes <= LIMITS.recordedTotalsBytesMax ? recorded : undefined
}
