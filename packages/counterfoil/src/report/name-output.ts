import type { ReportRequest } from '@counterfoil/protocol'
import { UsageError } from '../usage-error.ts'

/** The values that `{name}` in `--output` stands for. */
export interface OutputValues {
  readonly report: string
  readonly from: string | undefined
  readonly to: string | undefined
}

/** Returns the values of a request: its report, and the ends of its period. */
export function outputValuesOf(request: ReportRequest): OutputValues {
  const valueOf = (wanted: string) => {
    return request.inputReportParameters?.find(({ name }) => name === wanted)?.value
  }
  return { report: request.reportIdentifier, from: valueOf('dateFrom'), to: valueOf('dateTo') }
}

/**
 * Replaces `{report}`, `{from}` and `{to}` in a file name. No value can add a folder or a drive.
 *
 * @throws {UsageError} for an unknown name, and for an end that the period lacks
 */
export function nameOutput(output: string, values: OutputValues): string {
  return output.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    if (!isName(name, values)) {
      throw new UsageError(`--output: unknown ${placeholder}; there are {report}, {from} and {to}`)
    }
    const value = values[name]
    if (value === undefined) throw new UsageError(`--output: ${placeholder} needs --${name}`)
    return value.replaceAll(' ', 'T').replaceAll(/[^\w.+-]/g, '')
  })
}

function isName(name: string, values: OutputValues): name is keyof OutputValues {
  return Object.hasOwn(values, name)
}
