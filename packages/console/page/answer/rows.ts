import type { ReportRequest } from '@counterfoil/client'
import { type ReadonlySignal, signal } from '@preact/signals'
import {
  asJsonLines,
  type Cell,
  type Column,
  columnsIn,
  type Described,
  withControlTotals,
} from './columns.ts'
import { createLineReader, type Row } from './line-reader.ts'
import { createRowTotals, type RowTotals } from './row-totals.ts'
import { startTransfer, type Transfer } from './transfer.ts'

/** Rows that the page shows. */
const SHOWN_ROWS = 1000

/** The rows of a report that arrive in this page. */
export interface LoadedRows {
  readonly report: Described
  /** The request as the person made it. The rows come by one for JSON lines. */
  readonly request: ReportRequest
  readonly transfer: Transfer
  readonly columns: ReadonlySignal<readonly Column[]>
  /** The first rows. */
  readonly first: readonly (readonly Cell[])[]
  /** Of all rows that have arrived. */
  readonly totals: RowTotals
}

/** What else happens with the rows. */
interface RowReader {
  readonly onRow?: (row: Row) => void
  /** Called before the end is shown. */
  readonly onComplete?: () => void
}

/** Requests the rows that the page shows, and then leaves. */
export function previewRows(request: ReportRequest, report: Described): LoadedRows {
  return loadRows(request, report, asJsonLines(request, report), SHOWN_ROWS)
}

/**
 * Requests all rows of a report, and sums them.
 *
 * @param columns the columns to ask for, by default those of the request
 */
export function sumRows(
  request: ReportRequest,
  report: Described,
  columns: readonly string[] = [],
  reader: RowReader = {},
): LoadedRows {
  const asked = withControlTotals(asJsonLines(request, report))
  const named = columns.length > 0 ? { ...asked, outputReportParameters: columns } : asked
  return loadRows(request, report, named, Number.POSITIVE_INFINITY, reader)
}

function loadRows(
  request: ReportRequest,
  report: Described,
  asked: ReportRequest,
  rowsMax: number,
  { onRow, onComplete }: RowReader = {},
): LoadedRows {
  const readLines = createLineReader()
  const first: (readonly Cell[])[] = []
  const columns = signal<readonly Column[]>([])
  let totals = createRowTotals([], report)
  let rows = 0
  const transfer = startTransfer(asked, {
    rows: () => rows,
    take: (chunk) =>
      readLines(chunk, (row) => {
        if (rows === rowsMax) return false
        if (rows === 0) {
          columns.value = columnsIn(Object.keys(row), asked, report)
          totals = createRowTotals(columns.value, report)
        }
        const cells = Object.values(row)
        if (rows < SHOWN_ROWS) first.push(cells)
        totals.add(cells)
        onRow?.(row)
        rows += 1
        return true
      }),
    ...(onComplete && { finish: onComplete }),
  })
  return {
    report,
    request,
    transfer,
    columns,
    first,
    get totals() {
      return totals
    },
  }
}
