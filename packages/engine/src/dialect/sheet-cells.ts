import type { ColumnKind } from './column-kinds.ts'
import { USUAL_EXPONENT } from './print-columns.ts'

/** The numbers of the cell styles that the cells of a spreadsheet name. */
export interface CellStyles {
  readonly text: number
  /** The style of amounts without fraction digits. The next four styles are for 1 to 4 digits. */
  readonly money: number
  readonly integer: number
  readonly rate: number
  readonly ratio: number
  readonly date: number
  readonly time: number
}

/** A column as cells of a spreadsheet, in SQL. */
export interface SheetCell {
  /** The XML of the cell. */
  readonly xml: string
  /** The XML of the cell, or shorter the content of an inline string. Needs the names of `xml`. */
  readonly content: string
}

/** The length of the longest text in a cell, in UTF-16 code units. */
export const CELL_LENGTH_MAX = 32_767
/**
 * This character stands around a hard text, which is in hexadecimal digits. The format has to write its XML: the text
 * is too long for a cell, or it has blanks at its ends, control characters or invalid bytes.
 */
export const HARD_TEXT = '\x1d'
/** The bytes of a text that the format gets. A code unit takes at most three bytes, so a longer text is too long too. */
const HARD_BYTES_MAX = 3 * (CELL_LENGTH_MAX + 1)
/** How many digits of a number a spreadsheet keeps. */
export const NUMBER_DIGITS_MAX = 15
/** The most fraction digits of an amount. */
const MONEY_DIGITS_MAX = 4
/** The number of 1970-01-01 as spreadsheets count days. */
const EPOCH_DAY = 25_569

// The number of 1900-03-01. Spreadsheets disagree about earlier days: Excel counts a February 29 in 1900.
const FIRST_DAY = 61

/**
 * Returns the SQL of a column's cells in the XML of a sheet (ECMA-376). Numbers, days and times are numbers. Ids and
 * texts are strings, which no program reads as formulas. NULL and an empty text are an empty cell.
 *
 * @param name the name that the query gives to `xml`. The SQL gives names that begin with it to expressions that it
 *   repeats, because the engine takes long to plan a repeated expression.
 * @param exponentSql how many fraction digits the currency of an amount has
 */
export function sheetCell(
  { kind, sql }: { readonly kind: ColumnKind; readonly sql: string },
  styles: CellStyles,
  name: string,
  exponentSql = String(USUAL_EXPONENT),
): SheetCell {
  // The line break ends a comment at the end of the column's SQL.
  return CELLS[kind](`(${sql}\n)`, styles, name, exponentSql)
}

const CELLS: Record<
  ColumnKind,
  (value: string, styles: CellStyles, name: string, exponentSql: string) => SheetCell
> = {
  text: (value, { text }, name) => textCell(value, text, name),
  id: (value, { text }, name) => textCell(value, text, name),
  money: (value, { money, text }, name, exponentSql) => {
    const point = `(position(${name}_digits, '.') AS ${name}_point)`
    const fraction = `if(${point} = 0, 0, length(${name}_digits) - ${name}_point)`
    const shown = `least(${MONEY_DIGITS_MAX}, greatest(${exponentSql}, ${fraction}))`
    return numberCell(`toString(${value})`, `toString(${money} + ${shown})`, text, name)
  },
  rate: (value, { rate, text }, name) => {
    return numberCell(`toString(${value})`, `'${rate}'`, text, name)
  },
  integer: (value, { integer, text }, name) => {
    return numberCell(`toString(${value})`, `'${integer}'`, text, name)
  },
  ratio: (value, { ratio, text }, name) => {
    return numberCell(`toDecimalString(${value}, 4)`, `'${ratio}'`, text, name)
  },
  date: (value, { date, text }, name) => {
    const local = `(toDate32(${value}) AS ${name}_local)`
    const number = `toString(${name}_day)`
    return dayCell({ local, number, style: date, textStyle: text, name })
  },
  time: (value, { time, text }, name) => {
    const local = `(toDateTime64(${value}, 0, {timezone:String}) AS ${name}_local)`
    const [hours, minutes, seconds] = ['Hour', 'Minute', 'Second'].map((unit) => {
      return `to${unit}(${name}_local)`
    })
    const number = `toString(${name}_day + (${hours} * 3600 + ${minutes} * 60 + ${seconds}) / 86400)`
    return dayCell({ local, number, style: time, textStyle: text, name })
  },
}

// A blank at an end, a control character, U+FFFE, U+FFFF, or what reads as an escaped character.
const HARD = String.raw`'^ | $|[\\x00-\\x1f\\x{FFFE}\\x{FFFF}]|_x[0-9A-Fa-f]{4}'`

function textCell(value: string, style: number, name: string): SheetCell {
  const text = `(ifNull(toString(${value}), '') AS ${name}_text)`
  const isLong = `length(${name}_text) > ${CELL_LENGTH_MAX}`
  const isHard = `(match(${name}_text, ${HARD}) OR ${isLong} OR NOT isValidUTF8(${name}_text) AS ${name}_is_hard)`
  const hard = `'${HARD_TEXT}', hex(left(${name}_text, ${HARD_BYTES_MAX})), '${HARD_TEXT}'`
  const start = `<c s="${style}" t="inlineStr"><is>`
  const plain = stringCell(`(encodeXMLComponent(${name}_text) AS ${name}_encoded)`, style)
  return {
    content: `if(${name}_is_hard, concat(${hard}), ${name}_encoded)`,
    xml: `multiIf(${text} = '', '<c/>', ${isHard}, concat('${start}', ${hard}, '</is></c>'), ${plain})`,
  }
}

// Leading zeros and the point do not count. Neither NaN nor an infinity is a number in a sheet.
const INSIGNIFICANT = String.raw`'^-?0*\\.?0*|\\.'`

function numberCell(digits: string, styleSql: string, textStyle: number, name: string): SheetCell {
  const text = `${name}_digits`
  const significant = `length(replaceRegexpAll(${text}, ${INSIGNIFICANT}, ''))`
  const isLong = `length(${text}) > ${NUMBER_DIGITS_MAX} AND ${significant} > ${NUMBER_DIGITS_MAX}`
  const isText = `${isLong} OR endsWith(${text}, 'n') OR endsWith(${text}, 'f')`
  const number = `concat('<c s="', ${styleSql}, '"><v>', (${digits} AS ${text}), '</v></c>')`
  return {
    content: name,
    xml: `ifNull(if(${isText}, ${stringCell(text, textStyle)}, ${number}), '<c/>')`,
  }
}

function dayCell(cell: {
  readonly local: string
  readonly number: string
  readonly style: number
  readonly textStyle: number
  readonly name: string
}): SheetCell {
  const { local, style, name } = cell
  const day = `(toInt32(toDate32(${local})) + ${EPOCH_DAY} AS ${name}_day)`
  const number = `concat('<c s="${style}"><v>', ${cell.number}, '</v></c>')`
  const text = stringCell(`toString(${name}_local)`, cell.textStyle)
  return { content: name, xml: `ifNull(if(${day} < ${FIRST_DAY}, ${text}, ${number}), '<c/>')` }
}

/**
 * Writes a text as the string of a formula, but without a formula. Spreadsheets read such a cell as a text. With inline
 * strings, the XML of a sheet would be a quarter longer.
 */
function stringCell(xml: string, style: number): string {
  return `concat('<c s="${style}" t="str"><v>', ${xml}, '</v></c>')`
}

/** Returns the SQL of a number without its decimal point, to sum exactly: amounts with four fraction digits. */
export function summand(kind: ColumnKind, sql: string): string {
  const value = `(${sql}\n)`
  const digits =
    kind === 'money'
      ? `replaceOne(toDecimalString(${value}, ${MONEY_DIGITS_MAX}), '.', '')`
      : `toString(${value})`
  return `ifNull(${digits}, '')`
}
