import { percentEncode } from './encode.ts'
import { readForm } from './form.ts'
import { HOST_CHARACTERS_MAX, URL_CHARACTERS_MAX } from './limits.ts'
import type { EncodedParameter } from './parameter.ts'
import { showValue } from './show-value.ts'
import { SigningError } from './signing-error.ts'
import { requireText, wrongArgument } from './wrong-argument.ts'

// No two repetitions that follow each other can match the same character: matching is linear.
const ABSOLUTE_URL = /^(https?:\/\/)([^/?#\\]+)(\/[^?#]*)?(?:\?([^#]*))?(?:#|$)/i
const INVISIBLE = /[\x00-\x20\x7f]/
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const OTHER_THAN_ASCII = /[^\x21-\x7e]/
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i

/**
 * The URL as the base string holds it: scheme and host in lower case, no default port, the path as
 * it is written, no query and no fragment (RFC 5849, 3.4.1.2).
 *
 * @throws `url` for anything but an absolute http or https URL, and for a path with a backslash, dot
 * segments or other characters than ASCII, which no HTTP client sends as they are.
 * @example baseStringUrl('HTTPS://Example.com:443/a?b=c') // 'https://example.com/a'
 */
export function baseStringUrl(url: string | URL): string {
  const text = urlText(url)
  const { origin, path } = splitUrl(text)
  if (path.includes('\\') || OTHER_THAN_ASCII.test(path) || DOT_SEGMENT.test(path)) {
    const sent = showValue(URL.parse(text)?.pathname ?? '')
    throw malformed(`the path as it is sent: ${sent}`, showValue(path))
  }
  const { protocol, host } = URL.parse(origin) ?? notAbsolute()
  return `${protocol}//${host}${path}`
}

/**
 * The parameters in a URL's query, which are signed with the others (RFC 5849, 3.4.1.3.1), encoded.
 */
export function readQuery(url: string): EncodedParameter[] {
  if (!url.includes('?')) return []
  const { query } = splitUrl(url)
  return query ? readForm(query, 'query') : []
}

/**
 * The text that is signed: METHOD&URL&PARAMETERS, each of the three percent-encoded (RFC 5849,
 * 3.4.1.1).
 *
 * @throws `url`, or `options` for a method that HTTP cannot have.
 */
export function signatureBaseString(request: {
  readonly method: string
  readonly url: string | URL
  readonly parameterString: string
}): string {
  requireText(request.method, 'method')
  if (!METHOD.test(request.method)) {
    throw new SigningError('options', 'expected an HTTP method, for example POST')
  }
  const method = percentEncode(request.method.toUpperCase())
  const url = percentEncode(baseStringUrl(request.url))
  return `${method}&${url}&${percentEncode(request.parameterString)}`
}

/** A URL as text. Throws `options` for anything else. */
export function urlText(url: string | URL): string {
  if (typeof url === 'string') return url
  if (url instanceof URL) return url.href
  throw wrongArgument('url as a string or a URL', url)
}

/** Cuts a URL into its parts. Throws `url`. */
export function splitUrl(url: string): {
  readonly origin: string
  readonly path: string
  readonly query: string | undefined
} {
  if (url.length > URL_CHARACTERS_MAX) {
    throw malformed(`a URL of at most ${URL_CHARACTERS_MAX} characters`, String(url.length))
  }
  const [, scheme = '', host = '', path = '/', query] = ABSOLUTE_URL.exec(url) ?? []
  if (host === '') notAbsolute()
  if (host.includes('@')) throw malformed('a URL without a user name or a password', 'one with "@"')
  if (INVISIBLE.test(url)) throw malformed('a URL without spaces and control characters: write %XX')
  if (host.length > HOST_CHARACTERS_MAX) {
    throw malformed(`a host of at most ${HOST_CHARACTERS_MAX} characters`, String(host.length))
  }
  return { origin: scheme + host, path, query }
}

function notAbsolute(): never {
  throw malformed('an absolute http or https URL')
}

function malformed(expected: string, got?: string): SigningError {
  const fault = { code: 'url', expected } as const
  return new SigningError('url', got === undefined ? fault : { ...fault, got })
}
