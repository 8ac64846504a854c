import type { ReportRequest } from '@counterfoil/client'
import { type ReadonlySignal, signal } from '@preact/signals'
import {
  asJsonLines,
  type Column,
  columnsIn,
  type Described,
  displayOrder,
  withControlTotals,
} from './columns.ts'
import { createLineReader, createRowStore, type RowStore } from './row-store.ts'
import { createRowTotals, type RowTotals } from './row-totals.ts'
import { startTransfer, type Transfer } from './transfer.ts'

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

/** Memory for rows, if they are longer than usual. */
const BYTES_MAX = 250_000_000

/** Requests the rows of a report, and leaves when it has `rowsMax`, or as many as the page's memory holds. */
export function loadRows(
  request: ReportRequest,
  report: Described,
  rowsMax: number,
  hasControlTotals = true,
): LoadedRows {
  const readLines = createLineReader()
  const store = createRowStore()
  const lined = asJsonLines(request, report)
  // The sums of all amounts would delay a preview.
  const asked = hasControlTotals ? withControlTotals(lined) : lined
  let order: readonly number[] = []
  const columns = signal<readonly Column[]>([])
  let totals = createRowTotals([], report)
  const transfer = startTransfer(asked, {
    rows: () => store.length,
    take: (chunk) =>
      readLines(chunk, (row) => {
        if (store.length === rowsMax || store.bytes > BYTES_MAX) return false
        if (store.length === 0) {
          const arrived = columnsIn(Object.keys(row), asked, report)
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
