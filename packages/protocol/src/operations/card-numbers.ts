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
const IN_TEXT = /^(?:2[2-7]|[3-9]\d)\d{11,17}$/
const AS_IDENTIFIER = /^[3-6]\d{14,15}$/
const DIGITS_MAX = 19

/** Whether a text holds what looks like a card number, as the import of ledgers sees it: digits, grouped or not. */
export function holdsCardNumber(text: string): boolean {
  return (text.match(RUN) ?? []).some((run) => {
    const groups = run.split(/[ -]/)
    // One number or several: all that consecutive groups make is tried.
    return groups.some((_, first) => {
      let digits = ''
      for (const group of groups.slice(first, first + DIGITS_MAX)) {
        digits += group
        if (digits.length > DIGITS_MAX) return false
        if (IN_TEXT.test(digits) && passesLuhn(digits)) return true
      }
      return false
    })
  })
}

/** The same for an identifier, which may well have as many digits. */
export function isCardNumber(identifier: string): boolean {
  return (identifier.match(/\d+/g) ?? []).some((run) => AS_IDENTIFIER.test(run) && passesLuhn(run))
}
