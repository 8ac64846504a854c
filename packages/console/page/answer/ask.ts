import { type CatalogueReport, CounterfoilError, type ReportRequest } from '@counterfoil/client'
import { batch, effect, signal } from '@preact/signals'
import { session } from '../session/session.ts'
import { type ChartState, createChartState } from './charts.tsx'
import { type LoadedRows, loadRows, SHOWN_ROWS } from './rows.ts'
import type { Described } from './sums.ts'
import { saveReport, type Transfer } from './transfer.ts'

export const table = signal<LoadedRows | undefined>(undefined)

export const charts = signal<ChartState | undefined>(undefined)

export const saving = signal<Transfer | undefined>(undefined)

const asked = signal<{ readonly request: ReportRequest; readonly transfer: Transfer } | undefined>(
  undefined,
)

// The next person at this page must not see the answers of the one before.
effect(() => {
  if (session.value) return
  for (const transfer of [table.peek()?.transfer, saving.peek()]) transfer?.cancel()
  charts.peek()?.reading.peek()?.rows.transfer.cancel()
  for (const one of [table, charts, saving, asked]) one.value = undefined
})

export function preview(request: ReportRequest): void {
  table.value?.transfer.cancel()
  const { reports = [] } = session.value?.catalogue ?? {}
  const isAsked = (one: CatalogueReport) => one.reportIdentifier === request.reportIdentifier
  const report = reports.find(isAsked) ?? UNLISTED
  const rows = loadRows(request, report, { rowsMax: SHOWN_ROWS })
  batch(() => {
    // What an earlier download proved is not about these rows.
    if (saving.value?.end.value) saving.value = undefined
    table.value = rows
    asked.value = { request, transfer: rows.transfer }
    charts.value?.reading.value?.rows.transfer.cancel()
    charts.value = createChartState(request, report)
  })
}

export function download(request: ReportRequest): void {
  saving.value?.cancel()
  saving.value = saveReport(request)
  asked.value = { request, transfer: saving.value }
}

/** Returns the pointer by which the gateway names a parameter of the last request. */
export function parameterPointer(
  list: 'inputReportParameters' | 'configurationReportParameters',
  name: string,
): string {
  const elements = asked.value?.transfer.request[list] ?? []
  return `/${list}/${elements.findIndex((element) => element.name === name)}/value`
}

/** Returns what the gateway expected at a place of a request, if it refused this request last. */
export function faultAt(request: ReportRequest, pointer: string): string | undefined {
  if (asked.value?.request !== request) return undefined
  const end = asked.value.transfer.end.value
  const error = end?.kind === 'failed' ? end.error : undefined
  const isRefused = error instanceof CounterfoilError && error.code === 'report-refused'
  const { errors = [] } = isRefused ? error.problem : {}
  const fault = errors.find((one) => `${one.pointer}/`.startsWith(`${pointer}/`))
  return fault && `Expected ${fault.expected}`
}

/** The gateway refuses a report that the catalogue does not list. */
const UNLISTED: Described = {
  title: '',
  columns: [],
  inputReportParameters: [],
  configurationReportParameters: [],
}
