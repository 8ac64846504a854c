import type { ReportRequest } from '@counterfoil/client'
import { type ReadonlySignal, signal } from '@preact/signals'
import { LIMITS } from '../limits.ts'
import { startTransfer, type Transfer } from '../transfer.ts'
import { asJsonLines, type Column, columnsIn, columnsOf, type Described } from './columns.ts'
import { createJsonLines } from './json-lines.ts'
import { createRowStore, type RowStore } from './row-store.ts'
import { type AmountTotal, createRowTotals } from './row-totals.ts'

/** The rows of a report in this page. */
export interface LoadedRows {
  readonly report: Described
  /** The request as the person made it. The rows come by one for JSON lines. */
  readonly request: ReportRequest
  readonly transfer: Transfer
  readonly columns: ReadonlySignal<readonly Column[]>
  readonly store: RowStore
  readonly rowsMax: number
  totals(): readonly AmountTotal[]
}

/** Requests the rows of a report, and leaves when it has `rowsMax`, or as many as the page's memory holds. */
export function loadRows(request: ReportRequest, report: Described, rowsMax: number): LoadedRows {
  const lines = createJsonLines()
  const store = createRowStore()
  const columns = signal(columnsOf(request, report))
  let totals = createRowTotals(columns.value, report)
  const transfer = startTransfer(asJsonLines(request, report), {
    rows: () => store.length,
    take: (chunk) =>
      lines.push(chunk, (row) => {
        if (store.length === rowsMax || store.bytes > LIMITS.tableBytes) return false
        if (store.length === 0) {
          columns.value = columnsIn(Object.keys(row), columns.value, report)
          totals = createRowTotals(columns.value, report)
        }
        const cells = Object.values(row)
        store.append(cells)
        totals.add(cells)
        return true
      }),
  })
  return { report, request, transfer, columns, store, rowsMax, totals: () => totals.totals() }
}
