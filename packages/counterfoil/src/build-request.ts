import type { InputParameter, ReportRequest } from '@counterfoil/protocol'
import { UsageError } from './usage-error.ts'
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
  const { encode, delimiter, format, name, filter, column, configuration } = options
  const parameters = parametersOf(options)
  const names = new Set(parameters.map((parameter) => parameter.name))
  const kept = (base.inputReportParameters ?? []).filter((parameter) => !names.has(parameter.name))
  return {
    ...base,
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
