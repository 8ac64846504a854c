/** What a column holds, which decides how it is printed. */
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

/** Whether a value of a kind may hold any character, a quote too. The others are digits, signs and separators. */
export function isFreeText(kind: ColumnKind): boolean {
  return kind === 'text' || kind === 'id'
}

/** How dates and times can write a day; `mixed` is as in the specification's sample. */
export const DATE_FORMATS = ['mixed', 'ISO', 'DD.MM.YYYY', 'MM/DD/YYYY'] as const

/** A way to write days. */
export type DateFormat = (typeof DATE_FORMATS)[number]

/** How values are written. */
export interface ValueStyle {
  /** The fewest fraction digits of an amount; one that has more keeps them. */
  readonly decimals: number
  readonly decimalSeparator: '.' | ','
  /** Whether a text or a title that a spreadsheet may take for a formula gets an apostrophe before it. */
  readonly neutralise: boolean
  /** Whether an id is the formula `="0012"`, which a spreadsheet shows as the text 0012. */
  readonly idsAsText: boolean
  readonly dateFormat: DateFormat
}

/** As the specification's sample has it ("Report response"). */
export const PLAIN_STYLE: ValueStyle = {
  decimals: 3,
  decimalSeparator: '.',
  neutralise: false,
  idsAsText: false,
  dateFormat: 'mixed',
}

// Characters without ink: whatever is no letter, number, punctuation or symbol, and the blank ones of these. A list of
// what is unseen would not do: the engine knows fewer combining marks than Node, and takes others for unassigned.
const UNSEEN = String.raw`(?:[^\p{L}\p{N}\p{P}\p{S}]|[\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}])`

// The signs `- = + @`, and those that spreadsheets read as them: full-width, small, and the minus sign.
const SIGN = String.raw`[-=+@\u{FF0D}\u{FF1D}\u{FF0B}\u{FF20}\u{FE62}\u{FE63}\u{FE66}\u{FE6B}\u{2212}]`

// How a text begins that a spreadsheet may take for a formula: with a tab or a line end, or with a sign. Some
// spreadsheets drop unseen characters before the sign.
/** The pattern of such a text, as Node and the engine both read it. */
export const FORMULA = String.raw`^(?:[\t\r\n]|${UNSEEN}*${SIGN})`

/** A text with an apostrophe before it if a spreadsheet may take it for a formula. */
export function neutraliseText(text: string): string {
  return new RegExp(FORMULA, 'u').test(text) ? `'${text}` : text
}
