import { SigningError, wrongArgument } from '../refusals/signing-error.ts'
import { showName } from '../refusals/show-value.ts'

const UNRESERVED_ONLY = /^[A-Za-z0-9\-._~]*$/
const LEFT_OVER = /[!'()*]/
const LEFT_OVER_ALL = /[!'()*]/g

/**
 * Percent-encodes text as UTF-8. Letters, digits, `-`, `.`, `_` and `~` stay as they are (RFC 5849, 3.6).
 *
 * @throws {SigningError} `encoding` if the text is not well-formed Unicode; `options` if it is not a string.
 * @example
 * percentEncode("Jane O'Doe") // 'Jane%20O%27Doe'
 */
export function percentEncode(text: string): string {
  if (typeof text !== 'string') throw wrongArgument('a string to encode', text)
  return isUnreserved(text) ? text : encodeReserved(text)
}

/**
 * Decodes percent-encoded UTF-8, the reverse of {@link percentEncode}. A `+` stays a plus.
 *
 * @throws {SigningError} `encoding` if two hex digits do not follow a `%`, or if the bytes are not UTF-8; `options` if
 * the text is not a string.
 * @example
 * percentDecode('Jane%20O%27Doe') // "Jane O'Doe"
 */
export function percentDecode(text: string): string {
  if (typeof text !== 'string') throw wrongArgument('a string to decode', text)
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

const LIST =
  'parameters as an array of [name, value] pairs (Object.entries(...), [...map]) or URLSearchParams'

/** Encodes parameters in their order. Throws `options` unless each is a pair of strings. */
export function encodeParameters(parameters: ParameterList): EncodedParameter[] {
  if (Array.isArray(parameters))
    return parameters.map((parameter, index) => encodeParameter(parameter, index))
  if (parameters instanceof URLSearchParams)
    return [...parameters].map((parameter) => encodeParameter(parameter))
  throw wrongArgument(LIST, parameters)
}

export function encodeParameter(parameter: Parameter, index = 0): EncodedParameter {
  // Without this check, a missing value would be signed as "undefined".
  if (!Array.isArray(parameter) || parameter.length !== 2) throw wrongArgument(LIST, parameter)
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
