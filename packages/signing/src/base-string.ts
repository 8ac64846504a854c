import { percentEncode } from './encode.ts'
import { readForm } from './form.ts'
import type { EncodedParameter } from './parameter.ts'
import { SigningError } from './signing-error.ts'

const ABSOLUTE_URL = /^https?:\/\/[^/?#\\@\s]+([^?#]*)(?:\?([^#]*))?(?:#.*)?$/i

/**
 * The URL as the base string holds it: scheme and host in lower case, no default port, the path as
 * it is, no query and no fragment (RFC 5849, 3.4.1.2). Throws `url` for anything but an absolute
 * http or https URL, and for a path that an HTTP client would rewrite before it sends it.
 */
export function baseStringUrl(url: string): string {
  const { protocol, host, pathname } = URL.parse(url) ?? malformed()
  const normal = `${protocol}//${host}${pathname}`
  const [, writtenPath] = ABSOLUTE_URL.exec(url) ?? malformed()
  if (pathname === (writtenPath || '/')) return normal
  throw new SigningError('url', `expected the path as it is sent: ${JSON.stringify(pathname)}`)
}

/**
 * The parameters in a URL's query, which are signed with the others (RFC 5849, 3.4.1.3.1), encoded.
 */
export function readQuery(url: string): EncodedParameter[] {
  if (!url.includes('?')) return []
  const [, , query] = ABSOLUTE_URL.exec(url) ?? malformed()
  return query ? readForm(query) : []
}

/**
 * The text that is signed: METHOD&URL&PARAMETERS, each of the three percent-encoded (RFC 5849,
 * 3.4.1.1).
 */
export function signatureBaseString(request: {
  readonly method: string
  readonly url: string
  readonly parameterString: string
}): string {
  const method = percentEncode(request.method.toUpperCase())
  const url = percentEncode(baseStringUrl(request.url))
  return `${method}&${url}&${percentEncode(request.parameterString)}`
}

function malformed(): never {
  throw new SigningError(
    'url',
    'expected an absolute http or https URL, without spaces, user name or password',
  )
}
