import { extname } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import { UsageError } from '../usage-error.ts'

/** The formats of a gateway by the extensions of their files. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['.csv', 'CSV'],
  ['.jsonl', 'JSONL'],
  ['.parquet', 'PARQUET'],
  ['.pdf', 'PDF'],
  ['.xlsx', 'XLSX'],
])

/**
 * Chooses the format by the extension of the file, unless the request names one.
 *
 * @throws {UsageError} if the request names another format than the extension, or the extension is `.xls`, which would
 *   otherwise hold CSV
 */
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
