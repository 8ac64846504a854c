import { withoutIbans } from './ibans.ts'
import { plainDigits } from './plain-digits.ts'

/** Numbers that may be cards: those with certain first digits (ISO/IEC 7812-1) and certain lengths. */
interface IssuerRange {
  /** A pattern of `prefixLength` digits. */
  readonly prefix: string
  readonly prefixLength: number
  readonly lengthMin: number
  readonly lengthMax: number
}

const LENGTH_MIN = 13
const LENGTH_MAX = 19
const ZERO = '0'.charCodeAt(0)

/** Long numbers are rare in free text, so every length counts, and nearly every issuer. */
const IN_TEXTS: readonly IssuerRange[] = [
  { prefix: '2[2-7]|[3-9][0-9]', prefixLength: 2, lengthMin: LENGTH_MIN, lengthMax: LENGTH_MAX },
]

/** Identifiers are often long numbers, so only the lengths that these issuers use count. */
const IN_IDENTIFIERS: readonly IssuerRange[] = [
  { prefix: '4', prefixLength: 1, lengthMin: 13, lengthMax: 13 },
  { prefix: '4', prefixLength: 1, lengthMin: 19, lengthMax: 19 },
  { prefix: '3[0689]', prefixLength: 2, lengthMin: 14, lengthMax: 14 },
  { prefix: '[3-6]', prefixLength: 1, lengthMin: 15, lengthMax: 16 },
  { prefix: '2[2-7]', prefixLength: 2, lengthMin: 16, lengthMax: 16 },
  { prefix: '50|5[6-9]|6[0-9]', prefixLength: 2, lengthMin: 18, lengthMax: 18 },
  { prefix: '62', prefixLength: 2, lengthMin: 17, lengthMax: 19 },
  { prefix: '506|650', prefixLength: 3, lengthMin: 19, lengthMax: 19 },
  // The sandbox's test cards.
  { prefix: '900100', prefixLength: 6, lengthMin: 16, lengthMax: 16 },
]

/**
 * Patterns of digits that may be a card number if they also pass the Luhn check. The syntax is valid in RE2 and in
 * JavaScript.
 */
export const CARD_NUMBER_PATTERNS = {
  text: patternOf(IN_TEXTS),
  identifier: patternOf(IN_IDENTIFIERS),
} as const

/** The groups of digits in which card numbers are printed. */
export const PRINTED_GROUPS: readonly (readonly number[])[] = [
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
  [4, 4, 4, 4, 3],
]

const TEXT = new RegExp(CARD_NUMBER_PATTERNS.text)
const IDENTIFIER = new RegExp(CARD_NUMBER_PATTERNS.identifier)
const PRINTED = PRINTED_GROUPS.map((lengths) => {
  const groups = lengths.map((length) => `\\d{${length}}`).join('[^\\p{L}\\d]{1,4}')
  // A look-ahead consumes no characters, so the search tries every group of digits as the first one.
  return new RegExp(`(?<!\\d)(?=(${groups})(?!\\d))`, 'gu')
})

/**
 * Whether a text may hold a card number: digits of any script, in one piece, with single spaces or dashes between them,
 * or in groups as on a card. The digits of a valid IBAN (ISO 13616) do not count. The search takes linear time: it
 * tries at most 19 digits from each group.
 */
export function holdsCardNumber(text: string): boolean {
  const plain = withoutIbans(plainDigits(text))
  const runs = plain.split(/[^\d -]+|[ -]{2,}/)
  return runs.some(holdsInGroups) || holdsPrinted(plain, TEXT)
}

/**
 * Whether an identifier may hold a card number. Identifiers have many digits themselves, so the table of issuers is
 * narrower. The digits of a valid IBAN (ISO 13616) do not count. The search takes linear time.
 */
export function isCardNumber(identifier: string): boolean {
  const plain = withoutIbans(plainDigits(identifier))
  const numbers = plain.match(/\d+/g) ?? []
  return numbers.some((number) => isCard(number, IDENTIFIER)) || holdsPrinted(plain, IDENTIFIER)
}

/** Numbers as documentation prints them, with a wrong check digit. The sandbox takes them as cards. */
export const EXAMPLE_CARDS: readonly string[] = [
  '1234567890123456',
  '4444555566667777',
  '4444555566668888',
  '4455555555555555',
  '5555666677778888',
]

/** Whether the digits from `start` up to `end` pass the Luhn check (ISO/IEC 7812-1, annex B). */
export function passesLuhn(digits: string, start = 0, end = digits.length): boolean {
  let sum = 0
  for (let at = end - 1, isDoubled = false; at >= start; at--, isDoubled = !isDoubled) {
    const digit = digits.charCodeAt(at) - ZERO
    sum += isDoubled ? digit * 2 - (digit > 4 ? 9 : 0) : digit
  }
  return sum % 10 === 0
}

function isCard(digits: string, pattern: RegExp, start = 0, end = digits.length): boolean {
  const length = end - start
  if (length < LENGTH_MIN || length > LENGTH_MAX) return false
  // The Luhn check is cheaper, and nine of ten numbers fail it.
  return passesLuhn(digits, start, end) && pattern.test(digits.slice(start, end))
}

/** Searches a run of digit groups. It may hold several numbers, so this tries every sequence of consecutive groups. */
function holdsInGroups(run: string): boolean {
  const groups = run.split(/[ -]/).filter((group) => group !== '')
  const digits = groups.join('')
  let start = 0
  return groups.some((group, first) => {
    let end = start
    for (let next = first; next < groups.length && end - start <= LENGTH_MAX; next++) {
      end += groups[next]?.length ?? 0
      if (isCard(digits, TEXT, start, end)) return true
    }
    start += group.length
    return false
  })
}

function holdsPrinted(text: string, pattern: RegExp): boolean {
  return PRINTED.some((printed) => {
    for (const [, groups = ''] of text.matchAll(printed)) {
      if (isCard(groups.replaceAll(/\D/g, ''), pattern)) return true
    }
    return false
  })
}

function patternOf(ranges: readonly IssuerRange[]): string {
  const alternatives = ranges.map(({ prefix, prefixLength, lengthMin, lengthMax }) => {
    return `(?:${prefix})[0-9]{${lengthMin - prefixLength},${lengthMax - prefixLength}}`
  })
  return `^(?:${alternatives.join('|')})$`
}
