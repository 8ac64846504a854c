import type { CatalogueColumn, CatalogueReport, ReportRequest } from '@counterfoil/client'

/** A column of the rows that the gateway sends. */
export interface Column extends Pick<CatalogueColumn, 'name' | 'kind'> {
  /** The title that the request names, by default the column's name. */
  readonly title: string
}

/** The part of a report's description that its rows and charts follow from. */
export type Described = Pick<
  CatalogueReport,
  'columns' | 'totals' | 'note' | 'inputReportParameters' | 'configurationReportParameters'
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
 * Returns the column with the currency of an amount: `Fee_currency` for `Fee` and `Fee_gateway`, else the currency that
 * the report separates its totals by, else `Currency`.
 */
export function currencyOf(
  amount: Column,
  columns: readonly Column[],
  { totals }: Pick<Described, 'totals'>,
): Column | undefined {
  const [first = ''] = amount.name.split('_')
  const isTotal = totals?.columns.includes(amount.name)
  const ofTotals = isTotal && totals?.by.find((name) => /(?:^|_)currency$/i.test(name))
  const names = [`${first}_currency`, ofTotals, 'Currency']
  const name = names.find((candidate) => columns.some((column) => column.name === candidate))
  return columns.find((column) => column.name === name)
}

/**
 * Returns a request for the same rows as JSON lines. Its settings keep to those that JSON lines have: the person chose
 * the others for a file.
 */
export function asJsonLines(
  request: ReportRequest,
  { configurationReportParameters }: Pick<Described, 'configurationReportParameters'>,
): ReportRequest {
  const { reportEncode: _, reportCsvDelimiter: __, ...others } = request
  const isForRows = (name: string) => {
    const formats = configurationReportParameters.find((known) => known.name === name)?.formats
    return formats?.includes('JSONL') ?? true
  }
  return {
    ...others,
    reportFormat: 'JSONL',
    configurationReportParameters: (request.configurationReportParameters ?? []).filter(
      ({ name }) => isForRows(name),
    ),
  }
}

function titled({ name, kind }: Pick<CatalogueColumn, 'name' | 'kind'>, title: string): Column {
  return { name, kind, title: title || name }
}
