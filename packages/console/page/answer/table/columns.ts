import type { CatalogueColumn, CatalogueReport, ReportRequest } from '@counterfoil/client'

/** A column of the rows that the gateway sends. */
export interface Column extends Pick<CatalogueColumn, 'name' | 'kind' | 'currencyColumn'> {
  /** The title that the request names, by default the column's name. */
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

/** Returns the columns of a request, in their order. */
export function columnsOf(
  request: ReportRequest,
  { columns }: Pick<Described, 'columns'>,
): readonly Column[] {
  const chosen = request.outputReportParameters ?? []
  if (chosen.length === 0) {
    return columns.filter(({ optional }) => !optional).map((column) => titled(column, column.name))
  }
  return chosen.map((output) => {
    const { name, value = name } = typeof output === 'string' ? { name: output } : output
    return titled(columns.find((column) => column.name === name) ?? { name, kind: 'text' }, value)
  })
}

/** Returns the columns that a row has, which may be others: totals instead of rows have columns of their own. */
export function columnsIn(
  titles: readonly string[],
  expected: readonly Column[],
  { columns }: Pick<Described, 'columns'>,
): readonly Column[] {
  return titles.map((title) => {
    const known = expected.find((column) => column.title === title)
    const named = columns.find((column) => column.name === title)
    return known ?? titled(named ?? { name: title, kind: 'text' }, title)
  })
}

/**
 * Returns the order in which the table shows columns: the day or time, the amount or the balances, its currency, and
 * what separates totals, such as status and type. The others follow in the order of the file.
 */
export function displayOrder(
  columns: readonly Column[],
  described: Pick<Described, 'totals'>,
): readonly number[] {
  const { by = [], columns: summed = [], balances } = described.totals ?? {}
  const isAmount = ({ kind, name }: Column) => kind === 'money' && summed.includes(name)
  const amounts = balances
    ? columns.filter(({ name }) => name === balances.opening || name === balances.closing)
    : columns.filter(isAmount).slice(0, 1)
  const [amount] = amounts
  const first = [
    columns.find(({ kind }) => kind === 'time' || kind === 'date'),
    ...amounts,
    amount && currencyOf(amount, columns),
    ...by.toSorted(byInterest).map((name) => columns.find((column) => column.name === name)),
  ].flatMap((column) => column ?? [])
  return [...new Set([...first, ...columns])].map((column) => columns.indexOf(column))
}

/** Status and type first. */
function byInterest(one: string, other: string): number {
  const rankOf = (name: string) => [/status$/i, /type$/i, /./].findIndex((end) => end.test(name))
  return rankOf(one) - rankOf(other)
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
  const isForRows = (name: string) => {
    const formats = report.configurationReportParameters.find(
      (known) => known.name === name,
    )?.formats
    return formats?.includes('JSONL') ?? true
  }
  return {
    ...others,
    reportFormat: 'JSONL',
    configurationReportParameters: (request.configurationReportParameters ?? []).filter(
      ({ name }) => isForRows(name),
    ),
    ...withSeparators(request, report),
  }
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

function titled(column: Omit<Column, 'title'>, title: string): Column {
  const { name, kind, currencyColumn } = column
  return {
    name,
    kind,
    title: title || name,
    ...(currencyColumn !== undefined && { currencyColumn }),
  }
}
