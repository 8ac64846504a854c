import type { ReportRequest } from '@counterfoil/client'
import { signal } from '@preact/signals'
import { createLineReader } from './line-reader.ts'
import { type Cell, type Column, createRowTotals, type Described } from './sums.ts'
import { startTransfer, withControlTotals } from './transfer.ts'

export const SHOWN_ROWS = 1000

export type LoadedRows = ReturnType<typeof loadRows>

interface RowReader {
  /** The rows after which the page leaves. By default it reads all, with control totals. */
  readonly rowsMax?: number
  /** The columns to ask for, by default those of the request. */
  readonly columns?: readonly string[]
  readonly onRow?: (cells: readonly Cell[]) => void
  /** Called before the end is shown. */
  readonly onComplete?: () => void
}

export function loadRows(
  request: ReportRequest,
  report: Described,
  { rowsMax, columns: named, onRow, onComplete }: RowReader = {},
) {
  const lines = { ...asJsonLines(request, report), ...(named && { outputReportParameters: named }) }
  const asked = rowsMax === undefined ? withControlTotals(lines) : lines
  const readLines = createLineReader()
  const first: (readonly Cell[])[] = []
  const columns = signal<readonly Column[]>([])
  const totals = signal(createRowTotals([], report))
  let rows = 0
  const transfer = startTransfer(asked, {
    rows: () => rows,
    take: (chunk) =>
      readLines(chunk, (row) => {
        if (rows === rowsMax) return false
        if (rows === 0) {
          columns.value = columnsIn(Object.keys(row), asked, report)
          totals.value = createRowTotals(columns.value, report)
        }
        const cells = Object.values(row)
        if (rows < SHOWN_ROWS) first.push(cells)
        totals.value.add(cells)
        onRow?.(cells)
        rows += 1
        return true
      }),
    ...(onComplete && { finish: onComplete }),
  })
  // The request is the one that the person made, for a file. The totals are those of all rows that have arrived.
  return { report, request, transfer, columns, first, totals }
}

/** Returns the columns that a row has, by its titles. Totals instead of rows have columns of their own. */
function columnsIn(
  titles: readonly string[],
  { outputReportParameters: outputs = [] }: ReportRequest,
  { columns }: Described,
): readonly Column[] {
  return titles.map((title) => {
    const output = outputs.find((one) => typeof one !== 'string' && one.value === title)
    const name = typeof output === 'object' ? output.name : title
    return { ...(columns.find((column) => column.name === name) ?? { name, kind: 'text' }), title }
  })
}

/**
 * Returns a request for the same rows as JSON lines. Its settings keep to those that JSON lines have: the person chose
 * the others for a file. The columns that separate the totals are added, as PDF and XLSX do: sums without them would
 * mislead.
 */
function asJsonLines(
  asked: ReportRequest,
  { columns, totals, configurationReportParameters }: Described,
): ReportRequest {
  const { reportEncode: _, reportCsvDelimiter: __, ...request } = asked
  const { outputReportParameters: outputs = [] } = request
  const settings = (request.configurationReportParameters ?? []).filter((setting) => {
    const declared = configurationReportParameters.find(({ name }) => name === setting.name)
    return declared?.formats?.includes('JSONL') !== false
  })
  const usual = columns.filter(({ optional }) => !optional).map(({ name }) => name)
  const chosen = outputs.length > 0 ? outputs : usual
  const names = chosen.map((output) => (typeof output === 'string' ? output : output.name))
  const separators = new Set([...(totals?.by ?? []), ...(totals?.balances?.account ?? [])])
  const missing = [...separators].filter((name) => !names.includes(name))
  const isTotals = settings.some(({ name }) => name === 'totals')
  return {
    ...request,
    reportFormat: 'JSONL',
    configurationReportParameters: settings,
    ...(missing.length > 0 && !isTotals && { outputReportParameters: [...chosen, ...missing] }),
  }
}
