import { CARD_NUMBER_PATTERNS, plainDigits, PRINTED_GROUPS } from '@counterfoil/protocol'
import { literal, literals } from '@counterfoil/engine'

const DIGITS_MIN = 13
const DIGITS_MAX = 19

/** Returns SQL: whether a text contains what looks like a card number. The text's digits must be ASCII. */
export type CardSearch = (text: string) => string

/**
 * For free text. Finds numbers in one piece, numbers with a space or a dash between some digits, and numbers grouped as
 * on cards.
 */
export const IN_TEXT: CardSearch = (complete) => {
  const text = withoutIds(complete, HEXADECIMAL_ID)
  // Groups of digits, with a line end between groups that cannot belong to one number.
  const groups = `extractAll(replaceRegexpAll(${text}, '[^0-9 -]+|[ -]{2,}', '\\n'), '[0-9]+|\\n')`
  // Tries every number that consecutive groups form. `ends` are the numbers that end with the current group.
  const longer = 'arrayPushBack(arrayMap(start -> concat(start, digits), state.2), digits)'
  const ends = `if(digits = '\\n', [], arrayFilter(number -> length(number) <= ${DIGITS_MAX}, ${longer}))`
  const isAny = holdsCard(ends, 'text')
  const nothing = '(toUInt8(0), CAST([] AS Array(String)))'
  const isInGroups = `arrayFold((state, digits) -> (toUInt8(state.1 OR ${isAny}), ${ends}), ${groups}, ${nothing}).1`
  return `(${isInGroups} OR ${holdsCard(printedNumbers(text), 'text')})`
}

/** For identifiers, which may be long numbers. Finds numbers in one piece, and numbers grouped as on cards. */
export const IN_IDENTIFIER: CardSearch = (complete) => {
  const text = withoutIds(complete, `${HEXADECIMAL_ID}|${BETWEEN_LETTERS}`)
  return holdsCard(
    `arrayConcat(extractAll(${text}, '[0-9]+'), ${printedNumbers(text)})`,
    'identifier',
  )
}

/** For the operator's own ids. A plain number is an id and no card number. */
export const IN_ID: CardSearch = (complete) => {
  return `(NOT match(${complete}, '^[0-9]+$') AND ${IN_IDENTIFIER(complete)})`
}

/** A UUID, or 20 and more hexadecimal digits in one piece: a hash or an id, and longer than a card number. */
const HEXADECIMAL_ID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{20,}'
const BETWEEN_LETTERS = String.raw`(?:\p{L}[0-9]+)+\p{L}`

/** Returns SQL: a text with the letter x for each match of a pattern. */
function withoutIds(text: string, pattern: string): string {
  return `replaceRegexpAll(${text}, ${literal(pattern)}, 'x')`
}

/** A telephone number has at most 15 digits (ITU-T E.164). The search skips shorter ones. */
const TELEPHONE = 'phone'

const SEARCHES = [IN_TEXT, IN_IDENTIFIER, IN_ID]

export interface SearchedColumn {
  readonly name: string
  readonly search: CardSearch
}

/**
 * Returns SQL in two layers that define `cards`: the names of the columns that contain what looks like a card number.
 * Each column is a text `text_<name>`.
 */
export function defineCards(columns: readonly SearchedColumn[]): readonly [string, string] {
  const names = literals(columns.map(({ name }) => name))
  const kinds = columns.map(({ search }) => SEARCHES.indexOf(search))
  const texts = columns.map(({ name }) => `ifNull(text_${name}, '')`)
  const all = `arrayZip(CAST(${names} AS Array(String)), CAST([${kinds.join(', ')}] AS Array(UInt8)),
    CAST([${texts.join(', ')}] AS Array(String)))`
  // Most texts are shorter, or do not match this pattern, and need no further search.
  const long = `arrayFilter(one -> length(one.3) >= ${DIGITS_MIN}, ${all})`
  const signed = `arrayFilter(one -> match(one.3, ${sign()}), ${long})`
  const isTelephone = `(one.1 = '${TELEPHONE}' AND countMatches(one.3, '[0-9]') < 15)`
  const found = SEARCHES.map((search, kind) => {
    const own = `arrayFilter(one -> one.2 = ${kind}, long_texts)`
    return `arrayFilter(one -> NOT ${isTelephone} AND ${search('one.3')}, ${own})`
  })
  return [
    `arrayMap(one -> (one.1, one.2, ${plainText('one.3')}), ${signed}) AS long_texts`,
    `arrayMap(one -> one.1, arrayConcat(${found.join(', ')})) AS cards`,
  ]
}

let foreign: ReturnType<typeof listForeign> | undefined

function sign(): string {
  foreign ??= listForeign()
  return literal(`(?:[0-9][^a-zA-Z0-9]*){13}|[${foreign.digits}]`)
}

/** Returns SQL that does the same as `plainDigits`, but for numbers that are no decimal digits: superscripts, or ④. */
function plainText(text: string): string {
  foreign ??= listForeign()
  const translated = `translateUTF8(${text}, ${literal(foreign.characters)}, ${literal(foreign.plain)})`
  return `replaceRegexpAll(${translated}, ${literal(`[${foreign.unseen}]+`)}, '')`
}

/**
 * Lists the characters that `plainDigits` changes: digits, spaces and dashes with the ASCII character of each, and as
 * ranges of a pattern those that it removes. The engine's Unicode version is older and lacks some combining marks.
 */
function listForeign() {
  const changed = /[\p{Nd}\p{Zs}\p{Pd}\u2212\p{M}\p{Cf}\p{DI}]/u
  let [characters, plain, digits] = ['', '', '']
  const unseen: [first: number, last: number][] = []
  // The planes between have none.
  for (let point = 0x80; point < 0xe_1000; point = point === 0x1_ffff ? 0xe_0000 : point + 1) {
    const character = String.fromCodePoint(point)
    if (!changed.test(character)) continue
    const as = plainDigits(character)
    const range = unseen.at(-1)
    if (as !== '') {
      characters += character
      plain += as
      if (/\d/.test(as)) digits += character
    } else if (range?.[1] === point - 1) range[1] = point
    else unseen.push([point, point])
  }
  const hex = (point: number): string => String.raw`\x{${point.toString(16)}}`
  const ranges = unseen.map(([first, last]) => `${hex(first)}-${hex(last)}`)
  return { characters, plain, digits, unseen: ranges.join('') }
}

/** Returns SQL: all numbers in groups as on a card, with up to four characters between the groups. */
function printedNumbers(text: string): string {
  // Groups of digits, with the letter x between groups that cannot belong to one number.
  const groups = `extractAll(replaceRegexpAll(${text}, '[^\\\\p{L}0-9]{5,}|\\\\p{L}+', 'x'), '[0-9]+|x')`
  const shifted = ['b', 'c', 'd', 'e'].map((_, at) => `arrayShiftLeft(${groups}, ${at + 1}, 'x')`)
  // Of every five groups in a row, the groups that match each shape from the start. Shapes are matched separately,
  // because a longer shape can begin with a shorter one.
  const shapes = PRINTED_GROUPS.map((lengths) => {
    const shape = lengths.map((length) => `[0-9]{${length}}`).join(' ')
    return `replaceAll(extract(concat(a, ' ', b, ' ', c, ' ', d, ' ', e, ' '), '^(${shape}) '), ' ', '')`
  })
  return `arrayFlatten(arrayMap((a, b, c, d, e) -> [${shapes.join(', ')}], ${[groups, ...shifted].join(', ')}))`
}

function holdsCard(numbers: string, kind: keyof typeof CARD_NUMBER_PATTERNS): string {
  const looks = `match(number, ${literal(CARD_NUMBER_PATTERNS[kind])})`
  return `arrayExists(number -> ${looks} AND ${passesLuhn('number')}, ${numbers})`
}

/** Returns SQL: whether digits pass the check of ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): string {
  const reversed = `arrayMap(digit -> toUInt8OrZero(digit), extractAll(reverse(${digits}), '.'))`
  const doubled = '(digit, place) -> if(place % 2 = 0, digit * 2 - if(digit > 4, 9, 0), digit)'
  return `arraySum(arrayMap(${doubled}, ${reversed}, arrayEnumerate(${reversed}))) % 10 = 0`
}
