// Each class leaves out ASCII, which needs no replacement: most texts have nothing else.
const UNSEEN = /(?:(?!\p{ASCII})[\p{Cf}\p{M}\p{DI}])+/gu
const SPACE = /(?!\p{ASCII})\p{Zs}/gu
const DASH = /(?!\p{ASCII})[\p{Pd}\u2212]/gu
// Invisible copies of ASCII digits. Replace them before invisible characters are removed.
const TAG_DIGIT = /[\u{E0030}-\u{E0039}]/gu
const NUMBER = /(?!\p{ASCII})[\p{Nd}\p{No}]/gu

/**
 * Replaces the digits of all scripts by `0` to `9`, every space by a space and every dash by `-`, and removes combining
 * marks and invisible characters. It takes linear time, because it looks at each character alone.
 */
export function plainDigits(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text
  return text
    .replaceAll(TAG_DIGIT, (character) => valueInRun(character) ?? '')
    .replaceAll(UNSEEN, '')
    .replaceAll(SPACE, ' ')
    .replaceAll(DASH, '-')
    .replaceAll(NUMBER, (character) => digitsOf(character) ?? character)
}

// This cache stays small: Unicode has fewer than 2,000 numbers.
const KNOWN = new Map<string, string>()

/**
 * Returns the decimal value of a character as ASCII digits: of a digit of any script (Unicode's Numeric_Type Decimal
 * and Digit), and of a full-width, mathematical, superscript or circled number. Returns undefined for every other
 * character.
 */
function digitsOf(character: string): string | undefined {
  const known = KNOWN.get(character)
  if (known !== undefined || !/^[\p{Nd}\p{No}]$/u.test(character)) return known
  const digits = compatibleDigits(character) ?? valueInRun(character) ?? valueOf(character)
  if (digits !== undefined) KNOWN.set(character, digits)
  return digits
}

/** A compatibility form may be in brackets, or end in a dot or a comma: `⑴`, `⒈`. */
function compatibleDigits(character: string): string | undefined {
  return /^\(?([0-9]{1,2})[).,]?$/.exec(character.normalize('NFKC'))?.[1]
}

/**
 * Digits that are neither decimal in Unicode nor have a compatibility form: the first character, its value, and how
 * many characters follow in sequence.
 */
const RUNS: readonly (readonly [first: number, value: number, count: number])[] = [
  // Ethiopic, New Tai Lue, Kharoshthi, Rumi, Brahmi.
  [0x1369, 1, 9],
  [0x19da, 1, 1],
  [0x1_0a40, 1, 4],
  [0x1_0e60, 1, 9],
  [0x1_1052, 1, 9],
  // In circles.
  [0x24eb, 11, 10],
  [0x24f5, 1, 10],
  [0x24ff, 0, 1],
  [0x2776, 1, 10],
  [0x2780, 1, 10],
  [0x278a, 1, 10],
  [0x1_f10b, 0, 1],
  [0x1_f10c, 0, 1],
  // Tags.
  [0xe_0030, 0, 10],
]

function valueInRun(character: string): string | undefined {
  const point = character.codePointAt(0) ?? 0
  const run = RUNS.find(([first, , count]) => point >= first && point < first + count)
  return run && String(run[1] + point - run[0])
}

/** Unicode encodes the decimal digits of a script in blocks of ten, from zero to nine. */
function valueOf(character: string): string | undefined {
  if (!/^\p{Nd}$/u.test(character)) return undefined
  let first = character.codePointAt(0) ?? 0
  const last = first
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1
  return String((last - first) % 10)
}
