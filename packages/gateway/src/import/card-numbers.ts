import { CARD_NUMBER_PATTERNS, plainDigits, PRINTED_GROUPS } from '@counterfoil/protocol'
import { literal, literals } from '../clickhouse/literals.ts'

// Names of columns that hold what must not be stored: a card's number, its verification value, its track or its PIN.
const CARD_NAMES = [
  '[df]?pan',
  'card_?pan',
  '(pan|cc|((credit|debit|bank|payment)_?)?card)_?(nr|no|num|numbers?)',
  '(credit|debit)_?card',
  'primary_account_(nr|no|num|number)',
  '(cvv2?|cvc2?|cvn2?|cvd2?|cav2|csc)(_?(code|nr|no|num|number|value))?',
  'card_verification(_(code|number|value))?',
  'security_?code',
  'track(_?[123])?(_?data|_equivalent_data)?',
  'mag_?stripe(_?data)?',
  'pin(_?block|_code|_number)?',
]
const CARD_COLUMN = new RegExp(
  `(^|_)(un_?masked_?)?(${CARD_NAMES.join('|')})(_?\\d)?(_(not_masked|un_?masked|clear|full|plain|raw))?$`,
)

/** Whether a name says that the number is masked, and not that it is unmasked. */
const MASKED = /(?<!(^|_)(not|non|no|un|never)_)(?<![a-z])mask(ed|ing)?(?![a-z])/

/** What is wrong with a column of a file by its name alone: `card_number`, `destinationPan`, `CVV2`. */
export function cardColumnFault(name: string): string | undefined {
  const snake = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  const isCard = CARD_COLUMN.test(snake) && !MASKED.test(snake)
  return isCard ? 'expected no column for card numbers or verification values' : undefined
}

/** Whether what should be a column's name can be told: in a file without a header it may be anything. */
export function isTame(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_ .()/#-]{0,63}$/u.test(name) && !/\d{6}/.test(name)
}

const DIGITS_MAX = 19

/** In SQL: whether a text, whose digits are those of ASCII, holds what looks like a card number. */
export type CardSearch = (text: string) => string

/** In texts of people: in one piece, with a space or a dash between digits here and there, or as cards have it. */
export const IN_TEXT: CardSearch = (text) => {
  // Groups of digits, and a line end where two of them cannot be of one number.
  const groups = `extractAll(replaceRegexpAll(${text}, '[^0-9 -]+|[ -]{2,}', '\\n'), '[0-9]+|\\n')`
  // All that groups which follow one another make is tried: `ends` are those numbers that end with this group.
  const longer = 'arrayPushBack(arrayMap(begun -> concat(begun, digits), found.2), digits)'
  const ends = `if(digits = '\\n', [], arrayFilter(number -> length(number) <= ${DIGITS_MAX}, ${longer}))`
  const isAny = holdsCard(ends, 'text')
  const nothing = '(toUInt8(0), CAST([] AS Array(String)))'
  const isInGroups = `arrayFold((found, digits) -> (toUInt8(found.1 OR ${isAny}), ${ends}), ${groups}, ${nothing}).1`
  return `(${isInGroups} OR ${holdsCard(printedNumbers(text), 'text')})`
}

/** In identifiers, which may well be long numbers themselves: in one piece, or as cards have it. */
export const IN_IDENTIFIER: CardSearch = (text) => {
  return holdsCard(
    `arrayConcat(extractAll(${text}, '[0-9]+'), ${printedNumbers(text)})`,
    'identifier',
  )
}

/** Telephone numbers have 15 digits at most (ITU-T E.164): with fewer than 15 they are never a card's. */
const TELEPHONE = 'phone'

/** In SQL: which of several columns hold what looks like a card number, each a text `text_<name>`. */
export function columnsWithCards(names: readonly string[], search: CardSearch): string {
  if (names.length === 0) return 'CAST([] AS Array(String))'
  const texts = names.map((name) => `ifNull(text_${name}, '')`).join(', ')
  // Most texts have no such sign, and of them nothing more is asked.
  const signed = `arrayFilter(pair -> match(pair.2, ${sign()}), arrayZip(${literals(names)}, [${texts}]))`
  const plain = `arrayMap(pair -> (pair.1, ${plainText('pair.2')}), ${signed})`
  const isTelephone = `(pair.1 = '${TELEPHONE}' AND countMatches(pair.2, '[0-9]') < 15)`
  return `arrayMap(pair -> pair.1, arrayFilter(pair -> NOT ${isTelephone} AND ${search('pair.2')}, ${plain}))`
}

/**
 * Characters that stand for one of ASCII's digits, its space or its dash, and what each stands for. Of a number of two
 * digits, such as a circled one, that is the second digit.
 */
interface Foreign {
  readonly characters: string
  readonly plain: string
  readonly digits: string
  /** The characters of numbers of two digits, by the first digit. */
  readonly tens: ReadonlyMap<string, string>
  /** What stands between digits and cannot be seen, or belongs to the digit before it, as ranges of a pattern. */
  readonly unseen: string
}

let foreign: Foreign | undefined

/** What every text matches that holds a card number, and few others do. */
function sign(): string {
  foreign ??= listForeign()
  return literal(`(?:[0-9][^a-zA-Z0-9]*){13}|[${foreign.digits}]`)
}

/** The same in SQL as `plainDigits`. */
function plainText(text: string): string {
  foreign ??= listForeign()
  const inTwo = [...foreign.tens].reduce((sql, [digit, characters]) => {
    return `replaceRegexpAll(${sql}, ${literal(`[${characters}]`)}, ${literal(`${digit}\\0`)})`
  }, text)
  const translated = `translateUTF8(${inTwo}, ${literal(foreign.characters)}, ${literal(foreign.plain)})`
  return `replaceRegexpAll(${translated}, ${literal(`[${foreign.unseen}]+`)}, '')`
}

function listForeign(): Foreign {
  const numbersSpacesDashes = /[\p{N}\p{Zs}\p{Pd}\u2212\u{E0030}-\u{E0039}]/u
  let [characters, plain, digits] = ['', '', '']
  const tens = new Map<string, string>()
  // No digits lie beyond the second plane, but for the tags.
  for (let point = 0x80; point < 0xe_0040; point = point === 0x1_ffff ? 0xe_0000 : point + 1) {
    const character = String.fromCodePoint(point)
    if (!numbersSpacesDashes.test(character)) continue
    const as = plainDigits(character)
    if (as === character || !/^(?:\d?\d|[ -])$/.test(as)) continue
    characters += character
    plain += as.slice(-1)
    if (/\d/.test(as)) digits += character
    if (as.length === 2) tens.set(as[0] ?? '', (tens.get(as[0] ?? '') ?? '') + character)
  }
  return { characters, plain, digits, tens, unseen: listUnseen() }
}

/** Lists the characters that `plainDigits` drops. The engine knows an older Unicode, without some combining marks. */
function listUnseen(): string {
  const ranges: [first: number, last: number][] = []
  for (let point = 0x80; point < 0xe_1000; point = point === 0x1_ffff ? 0xe_0000 : point + 1) {
    const character = String.fromCodePoint(point)
    // The look-up is the cheaper one.
    if (!/[\p{M}\p{Cf}\p{DI}]/u.test(character) || plainDigits(character) !== '') continue
    const range = ranges.at(-1)
    if (range?.[1] === point - 1) range[1] = point
    else ranges.push([point, point])
  }
  const hex = (point: number): string => String.raw`\x{${point.toString(16)}}`
  return ranges.map(([first, last]) => `${hex(first)}-${hex(last)}`).join('')
}

/** In SQL: all numbers whose groups of digits are those of a card, with up to four characters between them. */
function printedNumbers(text: string): string {
  // Digits, and a letter where two groups cannot be of one number.
  const groups = `extractAll(replaceRegexpAll(${text}, '[^\\\\p{L}0-9]{5,}|\\\\p{L}+', 'x'), '[0-9]+|x')`
  const shifted = ['b', 'c', 'd', 'e'].map((_, at) => `arrayShiftLeft(${groups}, ${at + 1}, 'x')`)
  // Of every five groups in a row, the first ones; a longer shape comes apart from a shorter one that it begins with.
  const shapes = PRINTED_GROUPS.map((lengths) => {
    const shape = lengths.map((length) => `[0-9]{${length}}`).join(' ')
    return `replaceAll(extract(concat(a, ' ', b, ' ', c, ' ', d, ' ', e, ' '), '^(${shape}) '), ' ', '')`
  })
  return `arrayFlatten(arrayMap((a, b, c, d, e) -> [${shapes.join(', ')}], ${[groups, ...shifted].join(', ')}))`
}

/** In SQL: whether one of several numbers is a card's. */
function holdsCard(numbers: string, kind: keyof typeof CARD_NUMBER_PATTERNS): string {
  const looks = `match(number, ${literal(CARD_NUMBER_PATTERNS[kind])})`
  return `arrayExists(number -> ${looks} AND ${passesLuhn('number')}, ${numbers})`
}

/** In SQL: whether digits pass the check of ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): string {
  const reversed = `arrayMap(digit -> toUInt8OrZero(digit), extractAll(reverse(${digits}), '.'))`
  const doubled = '(digit, place) -> if(place % 2 = 0, digit * 2 - if(digit > 4, 9, 0), digit)'
  return `arraySum(arrayMap(${doubled}, ${reversed}, arrayEnumerate(${reversed}))) % 10 = 0`
}
