import type { IncomingMessage } from 'node:http'
import { GatewayError } from '@counterfoil/common'

/** Headers that a request may have once: of two values, the gateway and a proxy could read different ones. */
const SINGLE_HEADERS = ['host', 'content-type', 'content-length'] as const

/** Checks the request line and the headers before the gateway reads the body. */
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

/** Returns path and query of a target in absolute form (RFC 9112, 3.2.2) with one of `hosts`, or else the target. */
export function originFormOf(target: string, hosts: ReadonlySet<string>): string {
  const [, authority, rest = ''] = WEB_ADDRESS.exec(target) ?? []
  if (authority === undefined || authority.includes('@')) return target
  const host = URL.parse(target)?.host
  if (host === undefined || !hosts.has(host)) return target
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** The end of a path whose last segment may be any text. */
export const ANY_SEGMENT = '/:segment'

/** Returns a function that looks up the methods of a path, and throws `not-found` for an unknown path. */
export function knownPaths(
  signed: ReadonlyMap<string, { readonly methods?: readonly string[] }>,
  read: Iterable<string>,
): (path: string) => string {
  const methodsByPath = new Map<string, string>()
  for (const [path, { methods = ['POST'] }] of signed) methodsByPath.set(path, methods.join(', '))
  for (const path of read) methodsByPath.set(path, 'GET, HEAD')
  const find = (path: string): string | undefined => {
    return methodsByPath.get(path) ?? methodsByPath.get(path.replace(/\/[^/]+$/, ANY_SEGMENT))
  }
  return (path) => {
    const methods = find(path)
    if (methods !== undefined) return methods
    const isAlmost = path.endsWith('/') && find(path.slice(0, -1)) !== undefined
    const expected = isAlmost
      ? 'this path without the "/" at its end'
      : 'a path that the gateway serves: GET /.well-known/counterfoil lists them'
    throw new GatewayError('not-found', `expected ${expected}`)
  }
}

/** Describes the methods of a path. A POST may be a report that was sent to the base URL. */
export function expectedMethods(methods: string, got: string): string {
  const hint = ' here; GET /.well-known/counterfoil shows the report URL'
  return `expected ${methods}${got === 'POST' ? hint : ''}`
}
