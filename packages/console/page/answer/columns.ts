import type { CatalogueColumn, CatalogueReport, ReportRequest } from '@counterfoil/client'

/** A value of a cell: money, ids, days and times are texts, counts are numbers, and a missing value is `null`. */
export type Cell = string | number | null

/** A column of the rows that the gateway sends. */
export interface Column extends Pick<CatalogueColumn, 'name' | 'kind' | 'currencyColumn'> {
  /** The title in the file, by default the column's name. */
  readonly title: string
}

/** The part of a report's description that its rows and charts follow from. */
export type Described = Pick<
  CatalogueReport,
  | 'title'
  | 'columns'
  | 'totals'
  | 'note'
  | 'inputReportParameters'
  | 'configurationReportParameters'
>

/**
 * Returns the columns that a row has, by its titles. Totals instead of rows have columns of their own.
 */
export function columnsIn(
  titles: readonly string[],
  { outputReportParameters: outputs = [] }: ReportRequest,
  { columns }: Pick<Described, 'columns'>,
): readonly Column[] {
  return titles.map((title) => {
    const output = outputs.find((one) => typeof one !== 'string' && one.value === title)
    const name = typeof output === 'object' ? output.name : title
    return { ...(columns.find((column) => column.name === name) ?? { name, kind: 'text' }), title }
  })
}

/** Returns the column with the currency of an amount. */
export function currencyOf(amount: Column, columns: readonly Column[]): Column | undefined {
  return columns.find(({ name }) => name === amount.currencyColumn)
}

/**
 * Returns a request for the same rows as JSON lines. Its settings keep to those that JSON lines have: the person chose
 * the others for a file.
 */
export function asJsonLines(
  request: ReportRequest,
  report: Pick<Described, 'columns' | 'totals' | 'configurationReportParameters'>,
): ReportRequest {
  const { reportEncode: _, reportCsvDelimiter: __, ...others } = request
  const forFiles = report.configurationReportParameters
    .filter(({ formats }) => formats?.includes('JSONL') === false)
    .map(({ name }) => name)
  const settings = request.configurationReportParameters ?? []
  return {
    ...others,
    reportFormat: 'JSONL',
    configurationReportParameters: settings.filter(({ name }) => !forFiles.includes(name)),
    ...withSeparators(request, report),
  }
}

/** Asks for control totals too, which the record of the run then shows. */
export function withControlTotals(request: ReportRequest): ReportRequest {
  const others = (request.configurationReportParameters ?? []).filter(
    ({ name }) => name !== 'controlTotals',
  )
  const asked = { type: 'INPUT_SELECT', name: 'controlTotals', value: 'on' } as const
  return { ...request, configurationReportParameters: [...others, asked] }
}

/** Adds the columns that separate the totals, as PDF and XLSX do: sums without them would mislead. */
function withSeparators(
  { outputReportParameters = [], configurationReportParameters = [] }: ReportRequest,
  { columns, totals }: Pick<Described, 'columns' | 'totals'>,
): Pick<ReportRequest, 'outputReportParameters'> {
  const usual = columns.filter(({ optional }) => !optional).map(({ name }) => name)
  const chosen = outputReportParameters.length > 0 ? outputReportParameters : usual
  const names = chosen.map((output) => (typeof output === 'string' ? output : output.name))
  const separators = [...(totals?.by ?? []), ...(totals?.balances?.account ?? [])]
  const missing = [...new Set(separators)].filter((name) => !names.includes(name))
  const isTotals = configurationReportParameters.some(({ name }) => name === 'totals')
  return missing.length === 0 || isTotals ? {} : { outputReportParameters: [...chosen, ...missing] }
}
