import { extname } from 'node:path'
import { type ColumnOption, toReportRequest } from '@counterfoil/client'
import type { FilterName, ReportRequest } from '@counterfoil/protocol'
import type { ConnectionOptions } from '../connection/settings.ts'
import { UsageError } from '../command.ts'

/** Builds the request from a request file. Arguments and options replace members of the file. */
export function buildRequest(
  identifier: string | undefined,
  options: ReportOptions,
  base: Partial<ReportRequest> = {},
): ReportRequest {
  const reportIdentifier = identifier ?? base.reportIdentifier
  if (!reportIdentifier)
    throw new UsageError('missing the IDENTIFIER of the report, for example transactions-list')
  const { from, to, timezone, parameter, column, filter, configuration, forExcel } = options
  // The locale sets the delimiter, and the examples of the catalogue name one.
  const { reportCsvDelimiter: _, ...undelimited } = base
  const spreadsheet = forExcel === undefined ? {} : { spreadsheet: localeOf(forExcel) }
  return toReportRequest(
    { ...(forExcel === undefined ? base : undelimited), reportIdentifier },
    {
      dateFrom: from,
      dateTo: to,
      timezone,
      ...parameter,
      columns: column,
      filters: filter,
      configuration: { ...configuration, ...spreadsheet },
      name: options.name,
      format: options.format,
      encoding: options.encode,
      delimiter: options.delimiter,
    },
  )
}

/** Parses a request file. The gateway checks its members. */
export function parseRequest(text: string, file: string): Partial<ReportRequest> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The error below says the same.
  }
  throw new UsageError(`--request: expected a JSON object in ${file}`)
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

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['.csv', 'CSV'],
  ['.jsonl', 'JSONL'],
  ['.parquet', 'PARQUET'],
  ['.pdf', 'PDF'],
  ['.xlsx', 'XLSX'],
])

/** Chooses the format by the extension of the file. Refuses `.xls`, which would otherwise hold CSV. */
export function chooseFormat(request: ReportRequest, output = ''): ReportRequest {
  const extension = extname(output).toLowerCase()
  if (extension === '.xls') {
    throw new UsageError('--output: there is no format for .xls; write .xlsx for a spreadsheet')
  }
  const format = FORMATS.get(extension)
  if (format === undefined) return request
  const { reportFormat = format } = request
  if (reportFormat.toUpperCase() === format) return { ...request, reportFormat }
  const advice = `leave the format out, or use another extension`
  throw new UsageError(
    `--output: ${extension} is ${format}, but the format is ${reportFormat}; ${advice}`,
  )
}

/** The values that `{name}` in `--output` stands for. */
export type OutputValues = Readonly<Record<'report' | 'from' | 'to', string | undefined>>

export function outputValuesOf(request: ReportRequest): OutputValues {
  const valueOf = (wanted: string) => {
    return request.inputReportParameters?.find(({ name }) => name === wanted)?.value
  }
  return { report: request.reportIdentifier, from: valueOf('dateFrom'), to: valueOf('dateTo') }
}

/** Replaces `{report}`, `{from}` and `{to}` in a file name. No value can add a folder or a drive. */
export function nameOutput(output: string, values: OutputValues): string {
  const known = new Map(Object.entries(values))
  return output.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    if (!known.has(name)) {
      throw new UsageError(`--output: unknown ${placeholder}; there are {report}, {from} and {to}`)
    }
    const value = known.get(name)
    if (value === undefined) throw new UsageError(`--output: ${placeholder} needs --${name}`)
    return value.replaceAll(' ', 'T').replaceAll(/[^\w.+-]/g, '')
  })
}

export type Filters = { readonly [name in FilterName]?: readonly string[] }

export type Parameters = Readonly<Record<string, string>>

export interface ReportOptions extends ConnectionOptions {
  readonly from?: string
  readonly to?: string
  readonly timezone?: string
  readonly parameter?: Parameters
  readonly filter?: Filters
  readonly column?: readonly ColumnOption[]
  readonly configuration?: Parameters
  readonly encode?: string
  readonly delimiter?: string
  readonly forExcel?: string
  readonly format?: string
  readonly name?: string
  readonly request?: string
  readonly output?: string
  readonly sinceLast?: boolean
  readonly requireProof?: boolean
  readonly overwrite?: boolean
}
