import type { ReportRequest } from '@counterfoil/client'
import { type ReadonlySignal, signal } from '@preact/signals'
import { LIMITS } from '../limits.ts'
import { startTransfer, type Transfer } from '../transfer.ts'
import { withControlTotals } from '../with-control-totals.ts'
import {
  asJsonLines,
  type Column,
  columnsIn,
  columnsOf,
  type Described,
  displayOrder,
} from './columns.ts'
import { createJsonLines } from './json-lines.ts'
import { createRowStore, type RowStore } from './row-store.ts'
import { createRowTotals, type RowTotals } from './row-totals.ts'

/** The rows of a report in this page. */
export interface LoadedRows {
  readonly report: Described
  /** The request as the person made it. The rows come by one for JSON lines. */
  readonly request: ReportRequest
  readonly transfer: Transfer
  /** In the order of the table: first what most readers look for. */
  readonly columns: ReadonlySignal<readonly Column[]>
  readonly store: RowStore
  readonly rowsMax: number
  readonly totals: RowTotals
}

/** Requests the rows of a report, and leaves when it has `rowsMax`, or as many as the page's memory holds. */
export function loadRows(request: ReportRequest, report: Described, rowsMax: number): LoadedRows {
  const lines = createJsonLines()
  const store = createRowStore()
  const lined = asJsonLines(request, report)
  // The sums of all amounts would delay a preview.
  const asked = rowsMax > LIMITS.previewRows ? withControlTotals(lined) : lined
  const expected = columnsOf(asked, report)
  let order = displayOrder(expected, report)
  const columns = signal(inOrder(order, expected))
  let totals = createRowTotals(columns.value, report)
  const transfer = startTransfer(asked, {
    rows: () => store.length,
    take: (chunk) =>
      lines.push(chunk, (row) => {
        if (store.length === rowsMax || store.bytes > LIMITS.tableBytes) return false
        if (store.length === 0) {
          const arrived = columnsIn(Object.keys(row), expected, report)
          order = displayOrder(arrived, report)
          columns.value = inOrder(order, arrived)
          totals = createRowTotals(columns.value, report)
        }
        const cells = inOrder(order, Object.values(row))
        store.append(cells)
        totals.add(cells)
        return true
      }),
  })
  return {
    report,
    request,
    transfer,
    columns,
    store,
    rowsMax,
    get totals() {
      return totals
    },
  }
}

function inOrder<T>(order: readonly number[], values: readonly T[]): readonly T[] {
  return order.flatMap((index) => values.slice(index, index + 1))
}
