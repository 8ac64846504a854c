/** Whether digits pass the check of ISO/IEC 7812-1, annex B. */
export function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((before, digit, place) => {
      const weighted = Number(digit) * (place % 2 === 0 ? 1 : 2)
      return before + (weighted > 9 ? weighted - 9 : weighted)
    }, 0)
  return sum % 10 === 0
}

const RUN = /\d(?:[ -]?\d){12,}/g
// As cards have them printed, by whatever is between.
const PRINTED =
  /(?<!\d)\d{4}(?:[^\p{L}\d]{1,4}\d{4}){3}(?!\d)|(?<!\d)\d{4}[^\p{L}\d]{1,4}\d{6}[^\p{L}\d]{1,4}\d{5}(?!\d)/gu
const IN_TEXT = /^(?:2[2-7]|[3-9]\d)\d{11,17}$/
// Those of most schemes, and of docs/sandbox.md.
const AS_IDENTIFIER = /^(?:[3-6]\d{14,15}|2[2-7]\d{14}|900100\d{10})$/
const DIGITS_MAX = 19

/** Whether a text holds what looks like a card number: digits, grouped or not. */
export function holdsCardNumber(text: string): boolean {
  const plain = plainOf(text)
  return holdsPrinted(plain, IN_TEXT) || (plain.match(RUN) ?? []).some(isCardInGroups)
}

/** The same for an identifier, which may well have as many digits. */
export function isCardNumber(identifier: string): boolean {
  const plain = plainOf(identifier)
  const isCard = (digits: string) => AS_IDENTIFIER.test(digits) && passesLuhn(digits)
  return holdsPrinted(plain, AS_IDENTIFIER) || (plain.match(/\d+/g) ?? []).some(isCard)
}

/** Wide digits as digits, and nothing that cannot be seen. */
function plainOf(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
}

function holdsPrinted(text: string, pattern: RegExp): boolean {
  const numbers = (text.match(PRINTED) ?? []).map((found) => found.replaceAll(/\D/g, ''))
  return numbers.some((number) => pattern.test(number) && passesLuhn(number))
}

/** One number or several: all that consecutive groups make is tried. */
function isCardInGroups(run: string): boolean {
  const groups = run.split(/[ -]/)
  return groups.some((_, first) => {
    let digits = ''
    for (const group of groups.slice(first, first + DIGITS_MAX)) {
      digits += group
      if (digits.length > DIGITS_MAX) return false
      if (IN_TEXT.test(digits) && passesLuhn(digits)) return true
    }
    return false
  })
}
