import { literals } from './sql.ts'

// Names of columns that hold what must not be stored: a card's number, its verification value, its track or its PIN.
const CARD_COLUMN =
  /(^|_)((pan|card|cc)_?(no|num|number)|pan|primary_account_number|cvv2?|cvc2?|cav2|csc|card_verification(_(value|code))?|security_code|track_?[12]?(_data)?|pin(_block)?)$/

/** What is wrong with a column of a file by its name alone: `card_number`, `destinationPan`, `CVV2`. */
export function cardColumnFault(name: string): string | undefined {
  const snake = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  const isCard = CARD_COLUMN.test(snake) && !snake.includes('mask')
  return isCard ? 'expected no column for card numbers or verification values' : undefined
}

/** Whether what should be a column's name can be told: in a file without a header it may be anything. */
export function isTame(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_ .()/#-]{0,63}$/u.test(name) && !/\d{6}/.test(name)
}

const DIGITS_MAX = 19

/** How a card number is looked for in texts (docs/import.md, "Card numbers"). */
export interface CardSearch {
  /** In SQL: whether a text, which may be NULL, holds what looks like a card number. */
  readonly isIn: (text: string) => string
  /** What every such text matches, and few others do: it is found sooner. */
  readonly sign: string
}

/** In texts of people: digits with a space or a dash between them here and there. */
export const IN_TEXT: CardSearch = {
  sign: '[0-9](?:[ -]?[0-9]){12}',
  isIn: (text) => {
    // Groups of digits, and a line end where two of them cannot be of one number.
    const groups = `extractAll(replaceRegexpAll(ifNull(${text}, ''), '[^0-9 -]+|[ -]{2,}', '\\n'), '[0-9]+|\\n')`
    // All that groups which follow one another make is tried: `ends` are those numbers that end with this group.
    const longer = 'arrayPushBack(arrayMap(begun -> concat(begun, digits), found.2), digits)'
    const ends = `if(digits = '\\n', [], arrayFilter(number -> length(number) <= ${DIGITS_MAX}, ${longer}))`
    const looks = "match(number, '^(?:2[2-7]|[3-9][0-9])[0-9]{11,17}$')"
    const isCard = `arrayExists(number -> ${looks} AND ${passesLuhn('number')}, ${ends})`
    const nothing = '(toUInt8(0), CAST([] AS Array(String)))'
    return `arrayFold((found, digits) -> (toUInt8(found.1 OR ${isCard}), ${ends}), ${groups}, ${nothing}).1`
  },
}

/** In identifiers, which may well be long numbers themselves: as most cards have them, and on their own. */
export const IN_IDENTIFIER: CardSearch = {
  sign: '[0-9]{15}',
  isIn: (text) => {
    const numbers = `extractAll(ifNull(${text}, ''), '[0-9]+')`
    const looks = "match(number, '^[3-6][0-9]{14,15}$')"
    return `arrayExists(number -> ${looks} AND ${passesLuhn('number')}, ${numbers})`
  },
}

/** In SQL: which of several columns hold what looks like a card number, each a text `text_<name>`. */
export function columnsWithCards(names: readonly string[], { isIn, sign }: CardSearch): string {
  if (names.length === 0) return 'CAST([] AS Array(String))'
  const texts = names.map((name) => `ifNull(text_${name}, '')`).join(', ')
  // Most texts have no such sign, and of them nothing more is asked.
  const signed = `arrayFilter(pair -> match(pair.2, '${sign}'), arrayZip(${literals(names)}, [${texts}]))`
  return `arrayMap(pair -> pair.1, arrayFilter(pair -> ${isIn('pair.2')}, ${signed}))`
}

/** In SQL: whether digits pass the check of ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): string {
  const reversed = `arrayMap(digit -> toUInt8(digit), extractAll(reverse(${digits}), '.'))`
  const doubled = '(digit, place) -> if(place % 2 = 0, digit * 2 - if(digit > 4, 9, 0), digit)'
  return `arraySum(arrayMap(${doubled}, ${reversed}, arrayEnumerate(${reversed}))) % 10 = 0`
}
