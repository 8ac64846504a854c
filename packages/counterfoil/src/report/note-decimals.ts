import { REPORT_REQUEST_DEFAULTS, type ReportRequest } from '@counterfoil/protocol'

/**
 * Returns a note for people whose spreadsheet reads the decimal point of a CSV file as a separator of thousands:
 * 173.880 becomes 173880, without a warning.
 *
 * @returns an empty text if the request asks for another decimal separator, or the machine's locale writes a point
 */
export function noteDecimals(request: ReportRequest, env: NodeJS.ProcessEnv): string {
  const { reportFormat = REPORT_REQUEST_DEFAULTS.reportFormat } = request
  const configuration = request.configurationReportParameters ?? []
  const isChosen = configuration.some(({ name }) => {
    return name === 'spreadsheet' || name === 'decimalSeparator'
  })
  const locale = localeOf(env)
  if (reportFormat.toUpperCase() !== 'CSV' || isChosen || !writesComma(locale)) return ''
  return `Note: amounts in this file have a decimal point. A spreadsheet in ${locale} may read 173.880 as 173880.
For such a spreadsheet, add --for-excel ${locale}
`
}

/** Returns the locale in which the machine writes numbers. */
function localeOf(env: NodeJS.ProcessEnv): string {
  const posix = env['LC_ALL'] || env['LC_NUMERIC'] || env['LANG']
  if (!posix) return new Intl.NumberFormat().resolvedOptions().locale
  // de_DE.UTF-8@euro
  return posix.replace(/[.@].*$/, '').replace('_', '-')
}

function writesComma(locale: string): boolean {
  try {
    return new Intl.NumberFormat(locale).format(1.5).includes(',')
  } catch {
    // `C` is no locale of Intl.
    return false
  }
}
