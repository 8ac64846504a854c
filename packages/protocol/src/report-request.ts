/** The nine filters of a report request, as the envelope names them (specification, "Report request"). */
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

/** The name of one of the nine filters. */
export type FilterName = (typeof FILTER_NAMES)[number]

/**
 * The kinds of input a parameter can say it is. `INPUT_TEXT`, the one kind that is public,
 * is accepted for every parameter; its value is then checked against the parameter's own kind.
 */
export const INPUT_TYPES = [
  'INPUT_TEXT',
  'INPUT_DATE',
  'INPUT_DATETIME',
  'INPUT_NUMBER',
  'INPUT_SELECT',
  'INPUT_BOOLEAN',
] as const

/** A kind of input. */
export type InputType = (typeof INPUT_TYPES)[number]

/** One element of `inputReportParameters`; every value travels as text. */
export interface InputParameter {
  readonly type: InputType
  readonly name: string
  readonly value: string
}

/** An id of a gate, a company and so on: a whole number, or the same as a string of digits. Currencies go by code. */
export type FilterValue = number | string

/**
 * A report request as it travels (specification, "Report request").
 * Only `reportIdentifier` is required; what is left out takes the value of {@link REPORT_REQUEST_DEFAULTS}.
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

/** What a report request means where it says nothing; `reportName` falls back to the identifier. */
export const REPORT_REQUEST_DEFAULTS = {
  reportEncode: 'UTF-8',
  reportCsvDelimiter: ',',
  reportFormat: 'CSV',
} as const
