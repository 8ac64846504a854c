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
