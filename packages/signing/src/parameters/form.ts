import { FORM_BYTES_MAX, FORM_PARAMETERS_MAX } from '../refusals/limits.ts'
import { showName } from '../refusals/refusals.ts'
import { malformed, type SigningError } from '../refusals/signing-error.ts'
import {
  decodeParameter,
  type EncodedParameter,
  encodeParameters,
  joinParameters,
  type Parameter,
  type ParameterList,
  percentDecode,
  percentRecode,
} from './parameters.ts'

export const FORM_TYPE = 'application/x-www-form-urlencoded'

const FORM = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const LENIENT_UTF8 = new TextDecoder('utf-8')

/**
 * Whether a Content-Type is a form's, in any case, with or without parameters such as a charset.
 *
 * @example
 * isForm('application/x-www-form-urlencoded; charset=UTF-8') // true
 */
export function isForm(contentType: string | null | undefined): boolean {
  return FORM.test(contentType ?? '')
}

/**
 * Parses a form body or a query into its parameters, in their order and with duplicates (RFC 5849, 3.4.1.3.1). A `+` is
 * a space.
 *
 * @throws {SigningError} `form-encoding` for an invalid percent sequence or invalid UTF-8; `form-too-long` for more than
 * 1 MiB; `too-many-parameters` for more than 1000.
 * @example
 * parseForm('a=1&b=x%20y') // [['a', '1'], ['b', 'x y']]
 */
export function parseForm(body: Uint8Array | string): Parameter[] {
  return readForm(body).map(decodeParameter)
}

/**
 * Writes parameters as a form body, in their order: the reverse of {@link parseForm}. A space becomes `%20`.
 *
 * @throws {SigningError} `options` unless each parameter is a pair of strings; `encoding` for text that is not
 * well-formed Unicode.
 * @example
 * encodeForm([['a', '1'], ['b', 'x y']]) // 'a=1&b=x%20y'
 */
export function encodeForm(parameters: ParameterList): string {
  return joinParameters(encodeParameters(parameters))
}

/** Parses like `parseForm`, and returns the parameters percent-encoded, as they are signed. */
export function readForm(
  body: Uint8Array | string,
  source: 'form' | 'query' = 'form',
): EncodedParameter[] {
  // The limit stops a body of nothing but "&" from becoming a million strings.
  const pairs = textOf(body)
    .replaceAll('+', '%20')
    .split('&', FORM_PARAMETERS_MAX + 1)
  if (pairs.length > FORM_PARAMETERS_MAX) {
    const expected = `at most ${FORM_PARAMETERS_MAX} parameters in the ${source}`
    throw malformed('too-many-parameters', expected)
  }
  const parameters: EncodedParameter[] = []
  let place = 0
  for (const pair of pairs) {
    place += 1
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    const value = equals === -1 ? '' : pair.slice(equals + 1)
    try {
      parameters.push([percentRecode(name), percentRecode(value)])
    } catch (cause) {
      throw wrongEncoding(source, name, place, cause)
    }
  }
  return parameters
}

function textOf(body: Uint8Array | string): string {
  if (body.length > FORM_BYTES_MAX) {
    const expected = `a form of at most ${FORM_BYTES_MAX} bytes`
    throw malformed('form-too-long', expected, String(body.length))
  }
  if (typeof body === 'string') return body
  try {
    return UTF8.decode(body)
  } catch (cause) {
    const pairs = LENIENT_UTF8.decode(body).split('&', FORM_PARAMETERS_MAX)
    const index = pairs.findIndex((pair) => pair.includes('\ufffd'))
    throw wrongEncoding('form', pairs[index]?.split('=', 1)[0] ?? '', index + 1, cause)
  }
}

function wrongEncoding(
  source: 'form' | 'query',
  encodedName: string,
  place: number,
  cause: unknown,
): SigningError {
  const field = showName(decodeIfPossible(encodedName), place)
  const expected = `${field} in the ${source} as UTF-8 in valid %XX sequences`
  return malformed(`${source}-encoding`, expected, undefined, { cause })
}

/** Decodes a text, or returns it as it is if it is not percent-encoded. */
export function decodeIfPossible(text: string): string {
  try {
    return percentDecode(text)
  } catch {
    return text
  }
}
