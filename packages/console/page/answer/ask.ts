import type { CatalogueReport, ReportRequest } from '@counterfoil/client'
import { batch, effect, signal } from '@preact/signals'
import { session } from '../session/session.ts'
import { type ChartState, createChartState } from './charts/chart-state.ts'
import { LIMITS } from './limits.ts'
import { saveReport } from './save-report.ts'
import type { Described } from './table/columns.ts'
import { loadRows } from './table/loaded-rows.ts'
import { createTableState, type TableState } from './table/table-state.ts'
import type { Transfer } from './transfer.ts'

/** The rows of the last preview. */
export const table = signal<TableState | undefined>(undefined)

/** The charts of the same request. */
export const charts = signal<ChartState | undefined>(undefined)

/** The last download. */
export const saving = signal<Transfer | undefined>(undefined)

// The next person at this page must not see the answers of the one before.
effect(() => {
  if (session.value) return
  for (const transfer of [table.peek()?.rows.transfer, saving.peek()]) transfer?.cancel()
  charts.peek()?.reading.peek()?.transfer.cancel()
  table.value = undefined
  charts.value = undefined
  saving.value = undefined
})

/** Requests the first rows of a report, and shows them. */
export async function preview(request: ReportRequest): Promise<void> {
  await showRows(request, LIMITS.previewRows)
}

/** Requests the rows of the last preview again, and shows as many as the page holds. */
export async function showEveryRow(): Promise<void> {
  if (table.value) await showRows(table.value.rows.request, LIMITS.tableRows)
}

/** Requests a report, and saves it as a file. */
export async function download(request: ReportRequest): Promise<void> {
  saving.value?.cancel()
  saving.value = saveReport(request)
  await saving.value.done
}

async function showRows(request: ReportRequest, rowsMax: number): Promise<void> {
  table.value?.rows.transfer.cancel()
  const { reports = [] } = session.value?.catalogue ?? {}
  const isAsked = (one: CatalogueReport) => one.reportIdentifier === request.reportIdentifier
  const report = reports.find(isAsked) ?? UNLISTED
  const rows = loadRows(request, report, rowsMax)
  const sameRequest = charts.value?.request === request
  batch(() => {
    // What an earlier download proved is not about these rows.
    if (saving.value?.end.value) saving.value = undefined
    table.value = createTableState(rows)
    if (!sameRequest) {
      charts.value?.reading.value?.transfer.cancel()
      charts.value = createChartState(request, report)
    }
  })
  await rows.transfer.done
}

/** The gateway refuses a report that the catalogue does not list. */
const UNLISTED: Described = {
  title: '',
  columns: [],
  inputReportParameters: [],
  configurationReportParameters: [],
}
