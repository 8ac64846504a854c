import { SHOWN_CHARACTERS_MAX } from './limits.ts'

const DIGITS = /\p{Nd}/gu
const WORD = /^[A-Za-z][A-Za-z0-9.-]*$/
const PLAIN_NAME = /^[A-Za-z][A-Za-z_.-]{0,62}[0-9]{0,2}$/

/** A text with this number of digits may hold a card number, so errors mask its digits. */
const CARD_DIGITS_MIN = 8

/** Whether a text has as many digits as a card number. Errors then mask its digits. */
export function isMasked(text: string): boolean {
  return (text.match(DIGITS)?.length ?? 0) >= CARD_DIGITS_MIN
}

/**
 * Writes a request's value for an error: truncated, in quotes unless it is one word, and masked if it may hold a card
 * number.
 */
export function showValue(text: string): string {
  const masked = isMasked(text) ? maskDigits(text) : text
  if (masked.length > SHOWN_CHARACTERS_MAX) {
    return `${JSON.stringify(masked.slice(0, SHOWN_CHARACTERS_MAX))}...`
  }
  return WORD.test(masked) ? masked : JSON.stringify(masked)
}

/** Writes a parameter's name for an error, or its position if the name may be JSON or a card number. */
export function showName(name: string, place: number): string {
  return PLAIN_NAME.test(name) ? name : `parameter ${place}`
}

function maskDigits(text: string): string {
  return text.replaceAll(DIGITS, '*')
}
