import { SigningError } from './signing-error.ts'

const UNRESERVED_ONLY = /^[A-Za-z0-9\-._~]*$/

/**
 * Encodes text as UTF-8 and percent: only letters, digits, `-`, `.`, `_` and `~` stay (RFC 5849, 3.6).
 * Throws `encoding` for text that is not well-formed Unicode.
 */
export function percentEncode(text: string): string {
  return UNRESERVED_ONLY.test(text) ? text : encodeReserved(text)
}

/**
 * Decodes percent-encoded UTF-8; `+` stays a plus. The reverse of `percentEncode`.
 * Throws `encoding` for a `%` without two hex digits after it and for bytes that are not UTF-8.
 */
export function percentDecode(text: string): string {
  return text.includes('%') ? decodeSequences(text) : text
}

function encodeReserved(text: string): string {
  try {
    return encodeURIComponent(text).replace(/[!'()*]/g, percentOf)
  } catch (cause) {
    const message = 'expected well-formed Unicode text, without lone surrogates'
    throw new SigningError('encoding', message, { cause })
  }
}

function decodeSequences(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new SigningError('encoding', 'expected %XX sequences that are valid UTF-8', { cause })
  }
}

function percentOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
