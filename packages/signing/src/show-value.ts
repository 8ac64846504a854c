import { SHOWN_CHARACTERS_MAX } from './limits.ts'

const DIGITS = /\p{Nd}/gu
const WORD = /^[A-Za-z][A-Za-z0-9.-]*$/
const PLAIN_NAME = /^[A-Za-z][A-Za-z_.-]{0,62}[0-9]{0,2}$/

/** With so many digits a text may hold a card number: its digits are masked. */
const CARD_DIGITS_MIN = 8

/** Whether a text has as many digits as a card number may have: an error masks them. */
export function isMasked(text: string): boolean {
  return (text.match(DIGITS)?.length ?? 0) >= CARD_DIGITS_MIN
}

/** A value of a request as an error shows it: shortened, in quotes unless it is one word, digits of cards masked. */
export function showValue(text: string): string {
  const masked = isMasked(text) ? maskDigits(text) : text
  if (masked.length > SHOWN_CHARACTERS_MAX) {
    return `${JSON.stringify(masked.slice(0, SHOWN_CHARACTERS_MAX))}...`
  }
  return WORD.test(masked) ? masked : JSON.stringify(masked)
}

/** A parameter's name as an error shows it, or its place: JSON or a card number may stand for a name. */
export function showName(name: string, place: number): string {
  return PLAIN_NAME.test(name) ? name : `parameter ${place}`
}

function maskDigits(text: string): string {
  return text.replaceAll(DIGITS, '*')
}
