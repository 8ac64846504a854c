import {
  decodeParameter,
  type EncodedParameter,
  encodeParameters,
  type Parameter,
  type ParameterList,
  percentDecode,
  percentRecode,
} from './encode.ts'
import { FORM_BYTES_MAX, FORM_PARAMETERS_MAX } from '../refusals/limits.ts'
import { showName } from '../refusals/show-value.ts'
import { SigningError, wrongArgument } from '../refusals/signing-error.ts'

/** The media type of a form. */
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
  return typeof contentType === 'string' && FORM.test(contentType)
}

/**
 * Parses a form body or a query into its parameters, in their order and with duplicates (RFC 5849, 3.4.1.3.1). A `+` is
 * a space.
 *
 * @throws {SigningError} `encoding` for an invalid percent sequence or invalid UTF-8; `parameters` for more than 1000
 * parameters or 1 MiB; `options` for anything but a string or bytes.
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
    throw new SigningError('parameters', {
      code: 'too-many-parameters',
      expected: `at most ${FORM_PARAMETERS_MAX} parameters in the ${source}`,
    })
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

/** Joins encoded parameters in their order: `name=value&name=value`. */
export function joinParameters(parameters: readonly EncodedParameter[]): string {
  let joined = ''
  for (const parameter of parameters) {
    if (joined !== '') joined += '&'
    joined += parameter[0] + '=' + parameter[1]
  }
  return joined
}

function textOf(body: Uint8Array | string): string {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw wrongArgument('a form body as a string or a Uint8Array', body)
  }
  if (body.length > FORM_BYTES_MAX) {
    throw new SigningError('parameters', {
      code: 'form-too-long',
      expected: `a form of at most ${FORM_BYTES_MAX} bytes`,
      got: String(body.length),
    })
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
  return new SigningError('encoding', { code: `${source}-encoding`, expected }, { cause })
}

function decodeIfPossible(text: string): string {
  try {
    return percentDecode(text)
  } catch {
    return text
  }
}
