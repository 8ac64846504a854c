import type { ColumnKind } from './column-kinds.ts'

// `Nullable(…)` and `LowCardinality(…)` do not change how a value is printed.
const WRAPPED = /^(?:Nullable|LowCardinality)\((.*)\)$/

/** The time zone in which the checks read the types of a report. No report file names this zone itself. */
export const CHECKED_TIMEZONE = 'Asia/Kathmandu'

/** The engine's types that each kind can print, and the advice for other types. */
const TYPES: Record<ColumnKind, { readonly type: RegExp; readonly expected: string } | undefined> =
  {
    text: undefined,
    id: { type: /^(U?Int\d+|String|Enum\d+\(.*\))$/, expected: 'a whole number or a text' },
    money: {
      type: /^Decimal\(\d+, [0-4]\)$/,
      expected:
        "a decimal of at most 4 fraction digits, such as that of CAST(round(…, 3), 'Decimal(38, 3)')",
    },
    // Not a float, which may print an exponent.
    rate: { type: /^Decimal\(\d+, \d+\)$/, expected: 'a decimal' },
    integer: { type: /^U?Int\d+$/, expected: 'a whole number' },
    date: {
      type: new RegExp(`^Date(32)?$|^DateTime(64)?\\(.*'${CHECKED_TIMEZONE}'\\)$`),
      expected:
        'a day, or a time in the zone of the report, such as that of toTimeZone(…, {timezone:String})',
    },
    time: { type: /^DateTime(64)?\b.*$/, expected: 'a time: DateTime or DateTime64' },
    ratio: { type: /^(Float\d+|Decimal\(.*\)|U?Int\d+)$/, expected: 'a number' },
  }

/**
 * The error text for a period's axis whose SQL has a wrong type. Returns `undefined` if the type is right or unknown.
 */
export function expectedOfAxis(
  kind: 'time' | 'date',
  type: string | undefined,
): string | undefined {
  const isOfKind = kind === 'date' ? /^Date(32)?$/ : /^DateTime(64)?\b/
  if (type === undefined || isOfKind.test(bareType(type))) return undefined
  const expected = kind === 'date' ? 'a day: Date or Date32' : 'a time: DateTime or DateTime64'
  return `for an axis of the kind ${kind} ${expected}, got ${type}`
}

/**
 * The error text for a column whose type its kind cannot print. Returns `undefined` if the type is right or unknown.
 */
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
