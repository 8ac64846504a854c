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

// Each class leaves out ASCII, which needs no replacement: most texts have nothing else.
const UNSEEN = /(?:(?!\p{ASCII})[\p{Cf}\p{M}\p{DI}])+/gu
const SPACE = /(?!\p{ASCII})\p{Zs}/gu
const DASH = /(?!\p{ASCII})[\p{Pd}\u2212]/gu
const NUMBER = /(?!\p{ASCII})[\p{Nd}\p{No}]/gu

/**
 * Replaces the digits of all scripts by `0` to `9`, every space by a space and every dash by `-`, and removes combining
 * marks and invisible characters. It takes linear time, because it looks at each character alone.
 */
export function plainDigits(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text
  return text
    .replaceAll(UNSEEN, '')
    .replaceAll(SPACE, ' ')
    .replaceAll(DASH, '-')
    .replaceAll(NUMBER, (character) => digitsOf(character) ?? character)
}

// This cache stays small: Unicode has fewer than 2,000 numbers.
const KNOWN = new Map<string, string>()

/**
 * Returns the decimal value of a character as ASCII digits: of a decimal digit of any script, and of a full-width,
 * mathematical, superscript or circled number. Returns undefined for every other character.
 */
function digitsOf(character: string): string | undefined {
  const known = KNOWN.get(character)
  if (known !== undefined || !/^[\p{Nd}\p{No}]$/u.test(character)) return known
  const digits = compatibleDigits(character) ?? valueOf(character)
  if (digits !== undefined) KNOWN.set(character, digits)
  return digits
}

/** A compatibility form may be in brackets, or end in a dot or a comma: `⑴`, `⒈`. */
function compatibleDigits(character: string): string | undefined {
  return /^\(?([0-9]{1,2})[).,]?$/.exec(character.normalize('NFKC'))?.[1]
}

/** Unicode encodes the decimal digits of a script in blocks of ten, from zero to nine. */
function valueOf(character: string): string | undefined {
  if (!/^\p{Nd}$/u.test(character)) return undefined
  let first = character.codePointAt(0) ?? 0
  const last = first
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1
  return String((last - first) % 10)
}
