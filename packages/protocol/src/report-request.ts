/** The nine filters of a report request (specification, "Report request"). */
export const FILTER_NAMES = [
  'gates',
  'companies',
  'projects',
  'endpoints',
  'merchants',
  'processors',
  'managers',
  'resellers',
  'currencies',
] as const

/** The name of a filter. */
export type FilterName = (typeof FILTER_NAMES)[number]

/**
 * The types that a parameter may declare. `INPUT_TEXT` is the only publicly known one. Every parameter accepts it, and
 * the gateway then checks the value by the parameter's own type.
 */
export const INPUT_TYPES = [
  'INPUT_TEXT',
  'INPUT_DATE',
  'INPUT_DATETIME',
  'INPUT_NUMBER',
  'INPUT_SELECT',
  'INPUT_BOOLEAN',
] as const

/** The type of a parameter, as a report declares it. */
export type InputType = (typeof INPUT_TYPES)[number]

/** An element of `inputReportParameters`. Every value is a string. */
export interface InputParameter {
  /** Any text, usually one of {@link INPUT_TYPES}. The gateway reads the value by the type that the report declares. */
  readonly type: string
  readonly name: string
  readonly value: string
}

/**
 * The id of a gate, a company and so on: an integer, or a string of its digits. For a currency, its code. An object
 * holds the id in `id`, as the catalogue lists it; the gateway does not read the name.
 */
export type FilterValue = number | string | { readonly id: number | string; readonly name?: string }

/** Returns the id of a filter's value as text. */
export function filterId(value: FilterValue): string {
  return String(typeof value === 'object' ? value.id : value)
}

/**
 * The JSON body of a report request (specification, "Report request"). Only `reportIdentifier` is required. {@link
 * REPORT_REQUEST_DEFAULTS} has the default values.
 */
export interface ReportRequest {
  readonly reportIdentifier: string
  readonly reportEncode?: string
  readonly reportName?: string
  readonly reportCsvDelimiter?: string
  readonly reportFormat?: string
  readonly configurationReportParameters?: readonly InputParameter[]
  readonly inputReportParameters?: readonly InputParameter[]
  readonly outputReportParameters?: readonly (InputParameter | string)[]
  readonly filters?: { readonly [name in FilterName]?: readonly FilterValue[] }
}

/** The default values of a report request. The default of `reportName` is the identifier. */
export const REPORT_REQUEST_DEFAULTS = {
  reportEncode: 'UTF-8',
  reportCsvDelimiter: ',',
  reportFormat: 'CSV',
} as const
