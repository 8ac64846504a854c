import type { ColumnKind } from '../column-kinds.ts'

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
