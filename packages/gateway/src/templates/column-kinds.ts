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

/** The day of a date and of a time in each format, as the engine's `formatDateTime` takes it. */
const DAY_PATTERNS: Record<DateFormat, { readonly date: string; readonly time: string }> = {
  mixed: { date: '%d.%m.%Y', time: '%Y-%m-%d' },
  ISO: { date: '%Y-%m-%d', time: '%Y-%m-%d' },
  'DD.MM.YYYY': { date: '%d.%m.%Y', time: '%d.%m.%Y' },
  'MM/DD/YYYY': { date: '%m/%d/%Y', time: '%m/%d/%Y' },
}

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

/**
 * How each kind is printed: everything becomes text, so that every field is quoted. Times are `YYYY-MM-DD HH:MM:SS`
 * in the report's time zone and dates `DD.MM.YYYY`, unless the style has a date format. Ratios have four fraction
 * digits, rates as many as they need.
 */
const PRINTED: Record<ColumnKind, (sql: string, style: ValueStyle) => string> = {
  text: (sql, { neutralise }) =>
    neutralise ? neutralised(`toString(${sql})`) : `toString(${sql})`,
  id: (sql, { neutralise, idsAsText }) => {
    const text = `toString(${sql})`
    if (idsAsText) return asTextFormula(text)
    return neutralise ? `if(${isWhole(text)}, ${text}, ${neutralised(text)})` : text
  },
  money: (sql, { decimals, decimalSeparator }) => {
    return separated(withFraction(sql, decimals), decimalSeparator)
  },
  rate: (sql, { decimalSeparator }) => separated(`toString(${sql})`, decimalSeparator),
  integer: (sql) => `toString(${sql})`,
  date: (sql, { dateFormat }) => `formatDateTime(${sql}, '${DAY_PATTERNS[dateFormat].date}')`,
  time: (sql, { dateFormat }) => {
    const time = `toDateTime64(${sql}, 0, {timezone:String})`
    const day = DAY_PATTERNS[dateFormat].time
    // The engine's own way to write a time has no pattern to follow.
    return day === DAY_PATTERNS.ISO.time
      ? `toString(${time})`
      : `formatDateTime(${time}, '${day} %H:%i:%S')`
  },
  ratio: (sql, { decimalSeparator }) => separated(`toDecimalString(${sql}, 4)`, decimalSeparator),
}

/** The SQL that prints a column: text, and empty where there is no value. The line break ends a comment of the file's. */
export function printed(kind: ColumnKind, sql: string, style: ValueStyle = PLAIN_STYLE): string {
  return `ifNull(${PRINTED[kind](`(${sql}\n)`, style)}, '')`
}

// No amount of the ledger has more: docs/protocol.md, "Money".
const FRACTION_DIGITS_MAX = 3

function withFraction(sql: string, fewest: number): string {
  const tried = Array.from({ length: FRACTION_DIGITS_MAX - fewest }, (_, index) => fewest + index)
  const choices = tried.map((digits) => {
    // Of no fraction digits, the one leaves the separator and the other leaves zeros out.
    const text = digits === 0 ? `toString(${sql})` : `toDecimalString(${sql}, ${digits})`
    return `${sql} = round(${sql}, ${digits}), ${text}`
  })
  const all = `toDecimalString(${sql}, ${FRACTION_DIGITS_MAX})`
  return choices.length > 0 ? `multiIf(${choices.join(', ')}, ${all})` : all
}

function separated(sql: string, separator: '.' | ','): string {
  return separator === '.' ? sql : `replaceOne(${sql}, '.', ',')`
}

function asTextFormula(text: string): string {
  return `if(${text} = '', '', concat('="', replaceAll(${text}, '"', '""'), '"'))`
}

function isWhole(text: string): string {
  return `match(${text}, '^-?[0-9]+$')`
}

// Characters without ink: whatever is no letter, number, punctuation or symbol, and the blank ones of these. A list of
// what is unseen would not do: the engine knows fewer combining marks than Node, and takes others for unassigned.
const UNSEEN = String.raw`(?:[^\p{L}\p{N}\p{P}\p{S}]|[\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}])`

// The signs `- = + @`, and those that spreadsheets read as them: full-width, small, and the minus sign.
const SIGN = String.raw`[-=+@\u{FF0D}\u{FF1D}\u{FF0B}\u{FF20}\u{FE62}\u{FE63}\u{FE66}\u{FE6B}\u{2212}]`

// How a text begins that a spreadsheet may take for a formula: with a tab or a line end, or with a sign. Some
// spreadsheets drop unseen characters before the sign. The engine reads the pattern as Node does.
const FORMULA = String.raw`^(?:[\t\r\n]|${UNSEEN}*${SIGN})`

/** A text with an apostrophe before it if a spreadsheet may take it for a formula. */
export function neutraliseText(text: string): string {
  return new RegExp(FORMULA, 'u').test(text) ? `'${text}` : text
}

function neutralised(sql: string): string {
  const pattern = FORMULA.replaceAll(String.raw`\u{`, String.raw`\x{`).replaceAll('\\', '\\\\')
  return `replaceRegexpOne(${sql}, '${pattern}', '\\'\\\\0')`
}

// `Nullable(…)` and `LowCardinality(…)` say nothing of what is printed.
const WRAPPED = /^(?:Nullable|LowCardinality)\((.*)\)$/

/** The time zone of a report as its types are looked at: one that no report file names itself. */
export const CHECKED_TIMEZONE = 'Asia/Kathmandu'

/** The types of the engine that each kind can print, and how to come to one. */
const TYPES: Record<ColumnKind, { readonly type: RegExp; readonly expected: string } | undefined> =
  {
    text: undefined,
    id: { type: /^(U?Int\d+|String|Enum\d+\(.*\))$/, expected: 'a whole number or a text' },
    money: {
      type: /^Decimal\(\d+, [0-4]\)$/,
      expected: "a decimal of at most 4 fraction digits, as of CAST(round(…, 3), 'Decimal(38, 3)')",
    },
    // A float may print an exponent.
    rate: { type: /^Decimal\(\d+, \d+\)$/, expected: 'a decimal' },
    integer: { type: /^U?Int\d+$/, expected: 'a whole number' },
    date: {
      type: new RegExp(`^Date(32)?$|^DateTime(64)?\\(.*'${CHECKED_TIMEZONE}'\\)$`),
      expected:
        'a day, or a time in the zone of the report, as of toTimeZone(…, {timezone:String})',
    },
    time: { type: /^DateTime(64)?\b.*$/, expected: 'a time: DateTime or DateTime64' },
    ratio: { type: /^(Float\d+|Decimal\(.*\)|U?Int\d+)$/, expected: 'a number' },
  }

/** What the SQL of a period's axis should be of where it is no time, or no day; nothing where it is, or nobody knows. */
export function expectedOfAxis(
  kind: 'time' | 'date',
  type: string | undefined,
): string | undefined {
  const isOfKind = kind === 'date' ? /^Date(32)?$/ : /^DateTime(64)?\b/
  if (type === undefined || isOfKind.test(bareType(type))) return undefined
  const expected = kind === 'date' ? 'a day: Date or Date32' : 'a time: DateTime or DateTime64'
  return `for an axis of the kind ${kind} ${expected}, got ${type}`
}

/** What a column's SQL should be of where its type is none that its kind prints; nothing where it is, or nobody knows. */
export function expectedOfKind(kind: ColumnKind, type: string | undefined): string | undefined {
  const accepted = TYPES[kind]
  if (!accepted || type === undefined) return undefined
  const bare = bareType(type)
  if (accepted.type.test(bare) || bare === 'Nothing') return undefined
  return `for the kind ${kind} ${accepted.expected}, got ${type}`
}

function bareType(type: string): string {
  const inner = WRAPPED.exec(type)?.[1]
  return inner === undefined ? type : bareType(inner)
}
