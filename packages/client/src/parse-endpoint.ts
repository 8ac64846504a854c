import { ReportError } from './report-error.ts'

/**
 * Parses the address of the report endpoint: `https:`, or `http:` to this machine only unless told otherwise.
 * Throws `settings`.
 */
export function parseEndpoint(text: string, allowPlainHttp: boolean): URL {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid(`expected a URL that begins with https://, got ${JSON.stringify(text)}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('expected a URL without a user name or password: requests are signed')
  }
  if (url.protocol === 'http:' && !allowPlainHttp && !isLoopback(url.hostname)) {
    throw invalid(
      `expected https:, got http: to ${url.hostname}: over plain HTTP anybody on the way can read the report`,
    )
  }
  return url
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}

function invalid(expected: string): ReportError {
  return new ReportError('settings', `endpoint: ${expected}`)
}
