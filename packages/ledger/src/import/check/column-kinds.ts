import { ID_EXPECTED, ID_LENGTH_MAX, NOT_IN_ID } from '@counterfoil/protocol'
import { literal, literals } from '@counterfoil/engine'
import {
  isIdColumn,
  type LedgerColumn,
  type LedgerTable,
  STATUSES,
  TRANSACTION_TYPES,
} from '../../model/model.ts'
import type { Currency } from '../source/source-query.ts'
import { defineDay, defineTime, type ReadingOfValues } from './times.ts'

export interface ColumnKind {
  readonly expected: string
  /** Returns SQL that defines `value_<name>` from `text_<name>`. The value is NULL if the text is invalid. */
  readonly define: (name: string) => readonly string[]
  /** The empty text is a value, too. */
  readonly isText?: true
}

export interface CheckContext {
  readonly source: ReadingOfValues
  readonly currencies: readonly Currency[]
  readonly reservedIds?: IdRange | undefined
  /** The version of every row, if a sync numbers them. */
  readonly version?: number | undefined
}

/** A range of ids, with both ends included. */
export interface IdRange {
  readonly first: bigint
  readonly last: bigint
}

const CURRENCY_COLUMNS: ReadonlySet<string> = new Set(['currency', 'settlement_currency'])
const EXPONENT_MAX = 3

export function kindOf(
  table: LedgerTable,
  name: string,
  { type }: LedgerColumn,
  { source, currencies }: CheckContext,
): ColumnKind {
  const kind = KINDS[name]
  if (kind !== undefined) return kind
  if (CURRENCY_COLUMNS.has(name)) {
    if (table === 'currencies') return matching('[A-Z]{3}', 'expected a code of ISO 4217')
    const expected = `expected a currency that the ledger knows, with at most ${EXPONENT_MAX} fraction digits`
    return { ...oneOf(currencies.map(({ currency }) => currency)), expected }
  }
  if (isIdColumn(name)) return ID
  if (type.includes('Int')) {
    const max = type.includes('Int64') ? 2n ** 63n - 1n : 2n ** 31n - 1n
    return integer(-max, max, `expected a whole number of at most ${max}`)
  }
  const [, precision, scale] = /Decimal\((\d+), (\d+)\)/.exec(type) ?? []
  if (precision !== undefined && scale !== undefined)
    return decimal(Number(precision), Number(scale))
  if (type.includes('DateTime64')) return instant(source)
  return type.includes('Date32') ? day(source) : TEXT
}

/** A text that meets a condition. */
function textIf(expected: string, condition: (text: string) => string): ColumnKind {
  const define = (name: string) => {
    return [`if(${condition(`text_${name}`)}, text_${name}, NULL) AS value_${name}`]
  }
  return { expected, define }
}

function matching(pattern: string, expected: string): ColumnKind {
  return textIf(expected, (text) => `match(${text}, '^${pattern}$')`)
}

const ID = textIf(`expected ${ID_EXPECTED}`, (text) => {
  const isShort = `lengthUTF8(${text}) <= ${ID_LENGTH_MAX}`
  return `isValidUTF8(${text}) AND ${isShort} AND NOT match(${text}, ${literal(NOT_IN_ID)})`
})

const TEXT: ColumnKind = {
  ...textIf('expected text in UTF-8', (text) => `isValidUTF8(${text})`),
  isText: true,
}

const TIMEZONE: ColumnKind = {
  ...textIf('expected an IANA time zone such as Europe/Berlin', (text) => {
    return `${text} = '' OR ${text} IN (SELECT time_zone FROM system.time_zones)`
  }),
  isText: true,
}

const SIX_OR_EIGHT = matching('[0-9]{6}([0-9]{2})?', 'expected 6 or 8 digits')
const FOUR = matching('[0-9]{4}', 'expected 4 digits')

/** The kinds of columns that no type tells. */
const KINDS: Readonly<Record<string, ColumnKind>> = {
  status: oneOf(STATUSES),
  // Other systems call it a refund.
  transaction_type: oneOf(TRANSACTION_TYPES, { refund: 'reversal' }),
  bin: SIX_OR_EIGHT,
  dest_bin: SIX_OR_EIGHT,
  last4: FOUR,
  dest_last4: FOUR,
  timezone: TIMEZONE,
  exponent: integer(0, EXPONENT_MAX, `expected a whole number from 0 to ${EXPONENT_MAX}`),
}

function oneOf(
  values: readonly string[],
  synonyms: Readonly<Record<string, string>> = {},
): ColumnKind {
  const others = Object.keys(synonyms)
  return {
    expected: `expected one of ${[...values, ...others].join(', ')}`,
    define: (name) => {
      const text = `text_${name}`
      const words = literals(Object.values(synonyms))
      const word = `transform(${text}, ${literals(others)}, ${words}, ${text})`
      return [
        `${others.length === 0 ? text : word} AS word_${name}`,
        `if(has(${literals(values)}, word_${name}), word_${name}, NULL) AS value_${name}`,
      ]
    },
  }
}

/** A whole number without leading zeros or a plus sign: its text is what the engine prints for its value. */
function integer(min: bigint | number, max: bigint | number, expected: string): ColumnKind {
  return {
    expected,
    define: (name) => [
      `toInt64OrNull(text_${name}) AS read_${name}`,
      `if(toString(read_${name}) = text_${name} AND read_${name} BETWEEN ${min} AND ${max}, read_${name}, NULL) AS value_${name}`,
    ],
  }
}

/** A decimal number. Extra zeros at the end of the fraction do not count as digits. */
function decimal(precision: number, scale: number): ColumnKind {
  const integerDigits = precision - scale
  const pattern = `^-?[0-9]{1,${integerDigits}}([.][0-9]{1,${scale}}0*)?$`
  return {
    expected: `expected a number such as 1234.50, with at most ${integerDigits} digits before its point and ${scale} after it`,
    define: (name) => [
      // The engine also converts values that NULL hides, so invalid texts are replaced before the conversion.
      `toDecimal128OrNull(if(match(text_${name}, '${pattern}'), assumeNotNull(text_${name}), ''), ${scale}) AS value_${name}`,
    ],
  }
}

function day({ days }: ReadingOfValues): ColumnKind {
  return {
    expected: `expected an existing day, written as ${days}`,
    define: (name) => defineDay(name, days),
  }
}

function instant(source: ReadingOfValues): ColumnKind {
  return {
    expected: source.hasZones
      ? 'expected a time that exists once in a known time zone, such as 2026-11-20 10:00:00 Europe/Berlin'
      : source.timezone === undefined
        ? 'expected a time with its zone, such as 2026-11-20T10:00:00+01:00, or "timezone" in the head of the source'
        : `expected a time that exists once, written as ${source.days} hh:mm:ss or 2026-11-20T10:00:00+01:00`,
    define: (name) => defineTime(name, source),
  }
}
