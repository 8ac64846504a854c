import type { InputParameter, ReportRequest } from '@counterfoil/protocol'
import { UsageError } from '../usage-error.ts'
import type { ReportOptions } from './report-options.ts'

/** Builds the request from a request file. Arguments and options replace members of the file. */
export function buildRequest(
  identifier: string | undefined,
  options: ReportOptions,
  base: Partial<ReportRequest> = {},
): ReportRequest {
  const reportIdentifier = identifier ?? base.reportIdentifier
  if (!reportIdentifier)
    throw new UsageError('missing the IDENTIFIER of the report, for example transactions-list')
  const { encode, delimiter, format, name, filter, column } = options
  const configuration = configurationOf(options, base)
  const parameters = parametersOf(options)
  const names = new Set(parameters.map((parameter) => parameter.name))
  const kept = (base.inputReportParameters ?? []).filter((parameter) => !names.has(parameter.name))
  // The locale sets the delimiter, and the examples of the catalogue name one.
  const { reportCsvDelimiter: _, ...undelimited } = base
  return {
    ...(options.forExcel === undefined ? base : undelimited),
    reportIdentifier,
    ...(encode !== undefined && { reportEncode: encode }),
    ...(delimiter !== undefined && { reportCsvDelimiter: delimiter }),
    ...(format !== undefined && { reportFormat: format }),
    ...(name !== undefined && { reportName: name }),
    ...(parameters.length > 0 && { inputReportParameters: [...kept, ...parameters] }),
    ...(configuration && { configurationReportParameters: configuration }),
    ...(column && { outputReportParameters: column }),
    ...(filter && { filters: { ...base.filters, ...filter } }),
  }
}

/** Parses a request file. Checks only the members that options are merged into; the gateway checks all others. */
export function parseRequest(text: string, file: string): Partial<ReportRequest> {
  const expected = `--request: expected a JSON object in ${file}`
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) throw new UsageError(expected)
    const { inputReportParameters: parameters = [], filters = {} } = value
    if (!Array.isArray(parameters) || !parameters.every(isObject) || !isObject(filters)) {
      throw new UsageError(
        `${expected} whose inputReportParameters are an array of objects, and whose filters are an object`,
      )
    }
    return value
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${expected}: ${error.message}`)
    throw error
  }
}

function configurationOf(
  { configuration, forExcel }: ReportOptions,
  { configurationReportParameters = [] }: Partial<ReportRequest>,
): readonly InputParameter[] | undefined {
  if (forExcel === undefined) return configuration
  const others = (configuration ?? configurationReportParameters).filter(
    ({ name }) => name !== 'spreadsheet',
  )
  return [{ type: 'INPUT_TEXT', name: 'spreadsheet', value: localeOf(forExcel) }, ...others]
}

/** Returns the locale of a language: that of the country where most people speak it. */
function localeOf(text: string): string {
  try {
    const { language, region } = new Intl.Locale(text.replace('_', '-')).maximize()
    return `${language}-${region}`
  } catch {
    throw new UsageError(
      `--for-excel: expected a language or a locale such as de or en-GB, got ${text}`,
    )
  }
}

function parametersOf({ from, to, timezone, parameter = [] }: ReportOptions): InputParameter[] {
  const dates = Object.entries({ dateFrom: from, dateTo: to, timezone }).flatMap(
    ([name, value]): InputParameter[] =>
      value === undefined ? [] : [{ type: 'INPUT_TEXT', name, value }],
  )
  return [...dates, ...parameter]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
