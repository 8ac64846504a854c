import { HOST_CHARACTERS_MAX, URL_CHARACTERS_MAX } from '../refusals/limits.ts'
import { showValue } from '../refusals/refusals.ts'
import { malformed, SigningError } from '../refusals/signing-error.ts'
import { type EncodedParameter, percentEncode } from './parameters.ts'
import { readForm } from './form.ts'

// Adjacent repetitions never match the same character, so matching takes linear time.
const ABSOLUTE_URL = /^(https?:\/\/)([^/?#\\]+)(\/[^?#]*)?(?:\?([^#]*))?(?:#|$)/i
const INVISIBLE = /[\x00-\x20\x7f]/
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const OTHER_THAN_ASCII = /[^\x21-\x7e]/
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i

/** Returns the URL as the base string holds it (RFC 5849, 3.4.1.2). Throws `url` if clients rewrite its path. */
export function baseStringUrl(url: string | URL): string {
  const text = String(url)
  const { origin, path } = splitUrl(text)
  if (path.includes('\\') || OTHER_THAN_ASCII.test(path) || DOT_SEGMENT.test(path)) {
    const sent = showValue(URL.parse(text)?.pathname ?? '')
    throw malformed('url', `the path as it is sent: ${sent}`, showValue(path))
  }
  const { protocol, host } = URL.parse(origin) ?? notAbsolute()
  return `${protocol}//${host}${path}`
}

/** Reads the parameters of a URL's query, percent-encoded. The signature covers them (RFC 5849, 3.4.1.3.1). */
export function readQuery(url: string): EncodedParameter[] {
  if (!url.includes('?')) return []
  const { query } = splitUrl(url)
  return query ? readForm(query, 'query') : []
}

/**
 * Builds the text that is signed: `METHOD&URL&PARAMETERS`, each of the three percent-encoded (RFC 5849, 3.4.1.1;
 * specification, "Signature generation").
 *
 * @param request Pass the result of `normalizeParameters` as `parameterString`.
 * @throws {SigningError} `url` as {@link baseStringUrl}; `options` for a method that HTTP cannot have.
 * @example
 * const parameterString = normalizeParameters([['a', '1']])
 * signatureBaseString({ method: 'POST', url: 'https://example.com/b', parameterString })
 * // 'POST&https%3A%2F%2Fexample.com%2Fb&a%3D1'
 */
export function signatureBaseString(request: {
  readonly method: string
  readonly url: string | URL
  readonly parameterString: string
}): string {
  if (!METHOD.test(request.method)) {
    throw new SigningError('options', 'expected an HTTP method, for example POST')
  }
  const method = percentEncode(request.method.toUpperCase())
  const url = percentEncode(baseStringUrl(request.url))
  return `${method}&${url}&${percentEncode(request.parameterString)}`
}

/** Splits a URL into its parts. Throws `url` if the URL is malformed or too long. */
export function splitUrl(url: string): {
  readonly origin: string
  readonly path: string
  readonly query: string | undefined
} {
  if (url.length > URL_CHARACTERS_MAX) {
    throw malformed('url', `a URL of at most ${URL_CHARACTERS_MAX} characters`, String(url.length))
  }
  const [, scheme = '', host = '', path = '/', query] = ABSOLUTE_URL.exec(url) ?? []
  if (host === '') notAbsolute()
  if (host.includes('@')) {
    throw malformed('url', 'a URL without a user name or a password', 'one with "@"')
  }
  if (INVISIBLE.test(url)) {
    throw malformed('url', 'a URL without spaces and control characters: write %XX')
  }
  if (host.length > HOST_CHARACTERS_MAX) {
    throw malformed('url', `a host of at most ${HOST_CHARACTERS_MAX} characters`, `${host.length}`)
  }
  return { origin: scheme + host, path, query }
}

function notAbsolute(): never {
  throw malformed('url', 'an absolute http or https URL')
}
