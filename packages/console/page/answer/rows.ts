import type { ReportRequest } from '@counterfoil/client'
import { type ReadonlySignal, signal } from '@preact/signals'
import { createLineReader } from './line-reader.ts'
import { type Cell, type Column, createRowTotals, type Described, type RowTotals } from './sums.ts'
import { startTransfer, type Transfer, withControlTotals } from './transfer.ts'

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
  readonly totals: ReadonlySignal<RowTotals>
}

/** What else happens with the rows. */
interface RowReader {
  /** The rows after which the page leaves. All by default. */
  readonly rowsMax?: number
  readonly onRow?: (cells: readonly Cell[]) => void
  /** Called before the end is shown. */
  readonly onComplete?: () => void
}

/** Requests the rows that the page shows, and then leaves. */
export function previewRows(request: ReportRequest, report: Described): LoadedRows {
  const asked = asJsonLines(request, report)
  return loadRows(request, report, asked, { rowsMax: SHOWN_ROWS })
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
  return loadRows(request, report, named, reader)
}

function loadRows(
  request: ReportRequest,
  report: Described,
  asked: ReportRequest,
  { rowsMax, onRow, onComplete }: RowReader,
): LoadedRows {
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
