import { SigningError } from '../refusals/signing-error.ts'

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
