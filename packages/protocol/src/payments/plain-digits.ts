// ASCII is left out of each class: it has nothing to replace, and most texts have nothing else.
const UNSEEN = /(?:(?!\p{ASCII})[\p{Cf}\p{M}\p{DI}])+/gu
const SPACE = /(?!\p{ASCII})\p{Zs}/gu
const DASH = /(?!\p{ASCII})[\p{Pd}\u2212]/gu
// Invisible copies of ASCII's characters: read before what is invisible is dropped.
const TAG_DIGIT = /[\u{E0030}-\u{E0039}]/gu
const NUMBER = /(?!\p{ASCII})[\p{Nd}\p{No}]/gu

/**
 * Writes the digits of all scripts as `0` to `9`, every space as a space and every dash as `-`, and drops combining
 * marks and invisible characters. The work is linear: each character is looked at on its own.
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

// The map stays small: Unicode has fewer than 2,000 numbers.
const KNOWN = new Map<string, string>()

/**
 * The decimal value of one character as ASCII digits: of a digit of any script (Unicode's Numeric_Type Decimal and
 * Digit), and of a full-width, mathematical, superscript or circled number. `undefined` for every other character.
 */
function digitsOf(character: string): string | undefined {
  const known = KNOWN.get(character)
  if (known !== undefined || !/^[\p{Nd}\p{No}]$/u.test(character)) return known
  const digits = compatibleDigits(character) ?? valueInRun(character) ?? valueOf(character)
  if (digits !== undefined) KNOWN.set(character, digits)
  return digits
}

/** Compatibility forms may stand in brackets or before a dot or a comma: `⑴`, `⒈`. */
function compatibleDigits(character: string): string | undefined {
  return /^\(?([0-9]{1,2})[).,]?$/.exec(character.normalize('NFKC'))?.[1]
}

/** Digits that Unicode neither calls decimal nor writes as others: the first character, its value, how many follow on. */
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
