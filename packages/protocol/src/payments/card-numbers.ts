const LENGTH_MIN = 13
const LENGTH_MAX = 19
const ZERO = '0'.charCodeAt(0)

/**
 * Numbers of issuers, by their first digits (ISO/IEC 7812-1) and their lengths. Identifiers are often long numbers, so
 * only the lengths that these issuers use count.
 */
const IN_IDENTIFIERS = [
  '4(?:[0-9]{12}|[0-9]{18})',
  '3[0689][0-9]{12}',
  '[3-6][0-9]{14,15}',
  '2[2-7][0-9]{14}',
  '(?:50|5[6-9]|6[0-9])[0-9]{16}',
  '62[0-9]{15,17}',
  '(?:506|650)[0-9]{16}',
  // The sandbox's test cards.
  '900100[0-9]{10}',
]

/**
 * Patterns of digits that may be a card number if they also pass the Luhn check. Long numbers are rare in free text, so
 * every length counts there, and nearly every issuer. The syntax is valid in RE2 and in JavaScript.
 */
export const CARD_NUMBER_PATTERNS = {
  text: `^(?:2[2-7]|[3-9][0-9])[0-9]{${LENGTH_MIN - 2},${LENGTH_MAX - 2}}$`,
  identifier: `^(?:${IN_IDENTIFIERS.join('|')})$`,
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

/** The countries with IBANs, by the length of their IBANs (the IBAN registry of ISO 13616). */
const COUNTRIES: Readonly<Record<number, string>> = {
  15: 'NO',
  16: 'BE',
  18: 'DK FI FK FO GL NL SD',
  19: 'MK SI',
  20: 'AT BA EE KZ LT LU MN XK',
  21: 'CH HR LI LV',
  22: 'BG BH CR DE GB GE IE ME RS VA',
  23: 'AE GI IL IQ OM SO TL',
  24: 'AD CZ ES MD PK RO SA SE SK TN VG',
  25: 'LY PT ST',
  26: 'IS TR',
  27: 'BI DJ FR GR IT MC MR SM',
  28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
  29: 'BR EG PS QA UA',
  30: 'JO KW MU YE',
  31: 'MT SC',
  32: 'LC',
  33: 'RU',
}

/** An IBAN in one piece, or in groups of four, as IBANs are printed. */
const CANDIDATE = new RegExp(
  `(?<![\\p{L}\\d])(?:${Object.entries(COUNTRIES).map(shapeOf).join('|')})(?![\\p{L}\\d])`,
  'gu',
)

/** Replaces each IBAN with a valid checksum by an `x`. It takes linear time. */
function withoutIbans(text: string): string {
  return text.replaceAll(CANDIDATE, (candidate) => {
    return hasValidChecksum(candidate.replaceAll(' ', '')) ? 'x' : candidate
  })
}

function shapeOf([length, countries]: readonly [string, string]): string {
  const country = `(?:${countries.replaceAll(' ', '|')})`
  const account = Number(length) - 4
  const groups = ` [A-Z\\d]{4}`.repeat(Math.floor(account / 4))
  const rest = account % 4 > 0 ? ` [A-Z\\d]{${account % 4}}` : ''
  return `${country}\\d{2}(?:[A-Z\\d]{${account}}|${groups}${rest})`
}

function hasValidChecksum(iban: string): boolean {
  const rearranged = Array.from(iban.slice(4) + iban.slice(0, 4))
  return BigInt(rearranged.map((character) => Number.parseInt(character, 36)).join('')) % 97n === 1n
}

/**
 * Replaces the digits of all scripts by `0` to `9`, every space by a space and every dash by `-`, and removes combining
 * marks and invisible characters. It takes linear time.
 */
export function plainDigits(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text
  return text
    .replaceAll(/[\p{Cf}\p{M}\p{DI}]+/gu, '')
    .replaceAll(/[^\P{N}0-9]/gu, (number) => number.normalize('NFKC'))
    .replaceAll(/\p{Zs}/gu, ' ')
    .replaceAll(/[\p{Pd}\u2212]/gu, '-')
    .replaceAll(/[^\P{Nd}0-9]/gu, valueOf)
}

/** Unicode encodes the decimal digits of a script in blocks of ten, from zero to nine. */
function valueOf(digit: string): string {
  const last = digit.codePointAt(0) ?? 0
  let first = last
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1
  return String((last - first) % 10)
}
