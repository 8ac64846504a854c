/** The kinds of a column. The kind decides how its values are printed. */
export const COLUMN_KINDS = [
  'text',
  'id',
  'money',
  'rate',
  'integer',
  'date',
  'time',
  'ratio',
] as const

/** The kind of a column. */
export type ColumnKind = (typeof COLUMN_KINDS)[number]

/** Whether values of a kind may hold any character, even a quote. Other kinds hold digits, signs and separators. */
export function isFreeText(kind: ColumnKind): boolean {
  return kind === 'text' || kind === 'id'
}

/** The formats of a day in dates and times. `mixed` is the format of the specification's sample. */
export const DATE_FORMATS = ['mixed', 'ISO', 'DD.MM.YYYY', 'MM/DD/YYYY'] as const

/** The format of a day. */
export type DateFormat = (typeof DATE_FORMATS)[number]

/** How values are written. */
export interface ValueStyle {
  /** The minimum number of fraction digits of an amount. An amount with more digits keeps them. */
  readonly decimals: number
  readonly decimalSeparator: '.' | ','
  /** Whether a text or title that a spreadsheet may take for a formula gets a leading apostrophe. */
  readonly neutralise: boolean
  /** Whether an id is written as the formula `="0012"`, which a spreadsheet shows as the text 0012. */
  readonly idsAsText: boolean
  readonly dateFormat: DateFormat
}

/** The style of the specification's sample ("Report response"). */
export const PLAIN_STYLE: ValueStyle = {
  decimals: 3,
  decimalSeparator: '.',
  neutralise: false,
  idsAsText: false,
  dateFormat: 'mixed',
}

// Invisible characters: everything but letters, numbers, punctuation and symbols, and the blank ones among those. The
// pattern lists the visible classes, because the engine's Unicode version knows fewer combining marks than Node's.
const UNSEEN = String.raw`(?:[^\p{L}\p{N}\p{P}\p{S}]|[\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}])`

// The signs `- = + @`, and the forms that spreadsheets read as them: full-width, small, and the minus sign.
const SIGN = String.raw`[-=+@\u{FF0D}\u{FF1D}\u{FF0B}\u{FF20}\u{FE62}\u{FE63}\u{FE66}\u{FE6B}\u{2212}]`

/**
 * The pattern of a text that a spreadsheet may take for a formula, for Node and the engine. Such a text begins with a
 * tab, a line end or a sign. Some spreadsheets drop invisible characters before the sign.
 */
export const FORMULA = String.raw`^(?:[\t\r\n]|${UNSEEN}*${SIGN})`

/** Puts an apostrophe before a text that a spreadsheet may take for a formula. */
export function neutraliseText(text: string): string {
  return new RegExp(FORMULA, 'u').test(text) ? `'${text}` : text
}
