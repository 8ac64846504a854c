import type { IncomingMessage } from 'node:http'
import { GatewayError } from '@counterfoil/common'

/** Headers that a request may have once: of two values, the gateway and a proxy could read different ones. */
const SINGLE_HEADERS = ['host', 'content-type', 'content-length'] as const

/**
 * Checks the request line and the headers before the gateway reads the body.
 * @throws `http-version`, `malformed-http`, `unsupported-transfer-coding` or `misdirected-request`
 */
export function checkRequest({
  httpVersion,
  headers,
  headersDistinct,
  url,
}: IncomingMessage): void {
  if (httpVersion !== '1.1') {
    const why = 'over HTTP/1.0 a truncated report would look complete'
    throw new GatewayError('http-version', `expected HTTP/1.1: ${why}`)
  }
  for (const name of SINGLE_HEADERS) {
    if ((headersDistinct[name]?.length ?? 0) > 1) {
      throw new GatewayError('malformed-http', `expected one ${name} header, got more`)
    }
  }
  if (!headers.host) throw new GatewayError('malformed-http', 'The Host header is missing.')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    const message = 'expected no Transfer-Encoding, or chunked alone'
    throw new GatewayError('unsupported-transfer-coding', message)
  }
  if (url !== undefined && ABSOLUTE.test(url)) {
    const message = "expected a path, or a URL with the gateway's own host, in the request line"
    throw new GatewayError('misdirected-request', message)
  }
}

const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i
const WEB_ADDRESS = /^https?:\/\/([^/?#]*)(.*)$/is

/**
 * Returns the path and query of a request target in absolute form (RFC 9112, 3.2.2) whose host is in `hosts`. Returns
 * any other target unchanged.
 */
export function originFormOf(target: string, hosts: ReadonlySet<string>): string {
  const [, authority, rest = ''] = WEB_ADDRESS.exec(target) ?? []
  if (authority === undefined || authority.includes('@')) return target
  const host = URL.parse(target)?.host
  if (host === undefined || !hosts.has(host)) return target
  return rest.startsWith('/') ? rest : `/${rest}`
}
