import { SigningError } from './signing-error.ts'
import { wrongArgument } from './wrong-argument.ts'

const UNRESERVED_ONLY = /^[A-Za-z0-9\-._~]*$/
const LEFT_OVER = /[!'()*]/
const LEFT_OVER_ALL = /[!'()*]/g

/**
 * Encodes text as UTF-8 and percent: only letters, digits, `-`, `.`, `_` and `~` stay (RFC 5849,
 * 3.6). Throws `encoding` for text that is not well-formed Unicode.
 */
export function percentEncode(text: string): string {
  if (typeof text !== 'string') throw wrongArgument('a string to encode', text)
  return isUnreserved(text) ? text : encodeReserved(text)
}

/**
 * Decodes percent-encoded UTF-8; `+` stays a plus. The reverse of `percentEncode`.
 * Throws `encoding` for a `%` without two hex digits after it and for bytes that are not UTF-8.
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

/**
 * Whether text is its own encoding, as most of it is: looked at first, for it costs next to
 * nothing.
 */
export function isUnreserved(text: string): boolean {
  return UNRESERVED_ONLY.test(text)
}

/**
 * The one encoding of text that is percent-encoded in whatever way: hex in lower case, or more than
 * was needed.
 */
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
