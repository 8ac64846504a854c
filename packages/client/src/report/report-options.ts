import type { FilterName, FilterValue, InputParameter, ReportRequest } from '@counterfoil/protocol'
import { invalidSettings } from '../errors/counterfoil-error.ts'

/** A column by its name, or with a title of your own for the header row. */
export type ColumnOption = string | { readonly name: string; readonly title: string }

/** The value of a parameter. A list becomes one text, separated by commas. */
export type ParameterValue = string | number | boolean | readonly string[]

/**
 * What a report is asked for with: its parameters by their names, and the members of the request by shorter names.
 * `undefined` leaves a member out.
 */
export interface ReportOptions {
  /** The start of the period, included. */
  readonly dateFrom?: string | undefined
  /** The end of the period, not included. */
  readonly dateTo?: string | undefined
  /** The IANA time zone of the period and of the columns. */
  readonly timezone?: string | undefined
  readonly columns?: readonly ColumnOption[] | undefined
  readonly filters?: { readonly [name in FilterName]?: readonly FilterValue[] } | undefined
  /** How the report is written, such as `{ decimals: '2' }`. */
  readonly configuration?: Readonly<Record<string, ParameterValue>> | undefined
  /** The file name, without its extension. */
  readonly name?: string | undefined
  readonly format?: string | undefined
  readonly encoding?: string | undefined
  readonly delimiter?: string | undefined
  /** Any other parameter of the report. */
  readonly [parameter: string]:
    | ReportOptions['columns' | 'filters' | 'configuration']
    | ParameterValue
    | undefined
}

/**
 * Builds a request. The members of `report` stay, unless `options` sets them.
 *
 * @throws {CounterfoilError} `invalid-settings` if the value of a parameter is an object, such as a `Date`.
 * @example
 * const options = { dateFrom: '2026-05-01', statuses: ['approved', 'declined'] }
 * const request = toReportRequest('transactions-list', options)
 * request.inputReportParameters?.[1] // { type: 'INPUT_TEXT', name: 'statuses', value: 'approved,declined' }
 */
export function toReportRequest(
  report: string | ReportRequest,
  options: ReportOptions = {},
): ReportRequest {
  const { columns, filters, configuration, name, format, encoding, delimiter, ...parameters } =
    options
  const base: ReportRequest = typeof report === 'string' ? { reportIdentifier: report } : report
  const input = parametersOf(parameters)
  const written = parametersOf(configuration ?? {})
  return {
    ...base,
    ...(name !== undefined && { reportName: name }),
    ...(format !== undefined && { reportFormat: format }),
    ...(encoding !== undefined && { reportEncode: encoding }),
    ...(delimiter !== undefined && { reportCsvDelimiter: delimiter }),
    ...(input.length > 0 && {
      inputReportParameters: merged(base.inputReportParameters, input),
    }),
    ...(written.length > 0 && {
      configurationReportParameters: merged(base.configurationReportParameters, written),
    }),
    ...(columns && { outputReportParameters: columns.map(columnOf) }),
    ...(filters && { filters: { ...base.filters, ...filters } }),
  }
}

function parametersOf(values: Readonly<Record<string, unknown>>): readonly InputParameter[] {
  return Object.entries(values).flatMap(([name, value]): InputParameter[] => {
    return value === undefined ? [] : [{ type: 'INPUT_TEXT', name, value: textOf(value, name) }]
  })
}

function textOf(value: unknown, name: string): string {
  if (Array.isArray(value)) return value.map((element) => textOf(element, name)).join(',')
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw invalidSettings(`${name}: expected a text, a number, true, false or an array of these`)
}

/** The parameters of both, where the later of two with the same name stays. */
function merged(
  base: readonly InputParameter[] = [],
  later: readonly InputParameter[],
): readonly InputParameter[] {
  const names = new Set(later.map(({ name }) => name))
  return [...base.filter(({ name }) => !names.has(name)), ...later]
}

function columnOf(column: ColumnOption): InputParameter | string {
  if (typeof column === 'string') return column
  return { type: 'INPUT_TEXT', name: column.name, value: column.title }
}
