import { malformed, SigningError, wrongArgument } from '../refusals/signing-error.ts'
import { showName } from '../refusals/refusals.ts'

const UNRESERVED_ONLY = /^[A-Za-z0-9\-._~]*$/
const LEFT_OVER = /[!'()*]/
const LEFT_OVER_ALL = /[!'()*]/g

/**
 * Percent-encodes text as UTF-8. Letters, digits, `-`, `.`, `_` and `~` stay as they are (RFC 5849, 3.6).
 *
 * @throws {SigningError} `encoding` if the text is not well-formed Unicode.
 * @example
 * percentEncode("Jane O'Doe") // 'Jane%20O%27Doe'
 */
export function percentEncode(text: string): string {
  return isUnreserved(text) ? text : encodeReserved(text)
}

/**
 * Decodes percent-encoded UTF-8, the reverse of {@link percentEncode}. A `+` stays a plus.
 *
 * @throws {SigningError} `encoding` if two hex digits do not follow a `%`, or if the bytes are not UTF-8.
 * @example
 * percentDecode('Jane%20O%27Doe') // "Jane O'Doe"
 */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new SigningError('encoding', 'expected %XX sequences that are valid UTF-8', { cause })
  }
}

/** Whether text is its own encoding. Most text is, and this check is much cheaper than encoding. */
export function isUnreserved(text: string): boolean {
  return UNRESERVED_ONLY.test(text)
}

/** Converts any percent-encoding of a text, such as lower-case hex, to the one that `percentEncode` writes. */
export function percentRecode(text: string): string {
  return isUnreserved(text) ? text : encodeReserved(percentDecode(text))
}

function encodeReserved(text: string): string {
  try {
    const encoded = encodeURIComponent(text)
    return LEFT_OVER.test(encoded) ? encoded.replaceAll(LEFT_OVER_ALL, percentOf) : encoded
  } catch (cause) {
    const message = 'expected well-formed Unicode text, without lone surrogates'
    throw new SigningError('encoding', message, { cause })
  }
}

function percentOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** A decoded name and value. A name may occur more than once. */
export type Parameter = readonly [name: string, value: string]

/** The parameters that a caller passes. */
export type ParameterList = readonly Parameter[] | URLSearchParams

/** A name and a value as `percentEncode` writes them. They are sorted, joined and signed in this form. */
export type EncodedParameter = readonly [encodedName: string, encodedValue: string]

/** Encodes parameters in their order. Throws `options` unless each is a pair of strings. */
export function encodeParameters(parameters: ParameterList): EncodedParameter[] {
  return [...parameters].map(encodeParameter)
}

/** Encodes a parameter. Without this check, a program without types would sign a missing value as "undefined". */
function encodeParameter(parameter: Parameter, index = 0): EncodedParameter {
  const [name, value] = parameter
  if (typeof name !== 'string') throw wrongArgument('the name of a parameter as a string', name)
  if (typeof value !== 'string') {
    throw wrongArgument(`the value of ${showName(name, index + 1)} as a string`, value)
  }
  return [percentEncode(name), percentEncode(value)]
}

export function decodeParameter(parameter: EncodedParameter): Parameter {
  return [percentDecode(parameter[0]), percentDecode(parameter[1])]
}

/**
 * Builds the parameter string: encodes names and values, sorts by encoded name and then value, by code unit, and joins
 * them (RFC 5849, 3.4.1.3.2).
 *
 * @throws {SigningError} `options` unless each parameter is a pair of strings; `encoding` for text that is not
 * well-formed Unicode.
 * @example
 * normalizeParameters([['b', 'x y'], ['a', '2'], ['a', '1']]) // 'a=1&a=2&b=x%20y'
 */
export function normalizeParameters(parameters: ParameterList): string {
  return sortAndJoin(encodeParameters(parameters))
}

export function sortAndJoin(parameters: readonly EncodedParameter[]): string {
  return joinParameters(parameters.toSorted(byNameThenValue))
}

export function joinParameters(parameters: readonly EncodedParameter[]): string {
  let joined = ''
  for (const parameter of parameters) {
    if (joined !== '') joined += '&'
    joined += parameter[0] + '=' + parameter[1]
  }
  return joined
}

/**
 * Gathers the parameters to sign, encoded (RFC 5849, 3.4.1.3.1). Query and form may repeat an `oauth_*` parameter of the
 * header, which counts once. Throws `oauth-parameter` for any other.
 */
export function gatherParameters(
  header: readonly EncodedParameter[],
  query: readonly EncodedParameter[],
  form: readonly EncodedParameter[],
): EncodedParameter[] {
  const gathered = header.filter((parameter) => parameter[0] !== 'oauth_signature')
  for (const source of [query, form]) {
    for (const parameter of source) {
      if (parameter[0].startsWith('oauth_')) requireEqual(header, parameter)
      else gathered.push(parameter)
    }
  }
  return gathered
}

function requireEqual(header: readonly EncodedParameter[], [name, value]: EncodedParameter): void {
  const own = header.filter((parameter) => parameter[0] === name)
  if (own.some((parameter) => parameter[1] === value)) return
  const expected = `${showName(percentDecode(name), 0)} in query and form to be as in the header`
  const got = own.length > 0 ? 'another value' : 'one that the header does not have'
  throw malformed('oauth-parameter', expected, got)
}

function byNameThenValue(a: EncodedParameter, b: EncodedParameter): number {
  return compareCodeUnits(a[0], b[0]) || compareCodeUnits(a[1], b[1])
}

/** Compares as `<` does. `<` is slow here, because both strings are slices of a longer one. */
export function compareCodeUnits(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    const difference = a.charCodeAt(index) - b.charCodeAt(index)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
