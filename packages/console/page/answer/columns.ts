import type { CatalogueColumn, CatalogueReport, ReportRequest } from '@counterfoil/client'
import { neutraliseText } from '@counterfoil/protocol'

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

/**
 * Writes rows with their titles as tab-separated values, which spreadsheets take from the clipboard. Amounts and
 * numbers stay as they are. A text that begins like a formula gets an apostrophe, as in the gateway's own files.
 */
export function toTsv(columns: readonly Column[], rows: Iterable<readonly Cell[]>): string {
  const lines = [columns.map(({ title }) => quote(neutraliseText(title))).join('\t')]
  for (const cells of rows) {
    lines.push(cells.map((cell, index) => writeField(cell, columns[index]?.kind)).join('\t'))
  }
  return `${lines.join('\n')}\n`
}

function writeField(cell: Cell, kind = 'text'): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell)
  const isText = kind === 'text' || (kind === 'id' && !/^-?\d+$/.test(cell))
  return quote(isText ? neutraliseText(cell) : cell)
}

/** Spreadsheets read a quoted field as CSV has it. */
function quote(text: string): string {
  return /[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
