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

/** The context of a check: everything but the rows. */
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

const VOCABULARIES: Readonly<Record<string, readonly string[]>> = {
  status: STATUSES,
  transaction_type: TRANSACTION_TYPES,
}
/** Usual words of other systems, and the ledger's word for each. */
const SYNONYMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  transaction_type: { refund: 'reversal' },
}
const SIX_OR_EIGHT = { pattern: '[0-9]{6}([0-9]{2})?', expected: 'expected 6 or 8 digits' }
const FOUR = { pattern: '[0-9]{4}', expected: 'expected 4 digits' }
const DIGITS: Readonly<Record<string, typeof FOUR>> = {
  bin: SIX_OR_EIGHT,
  dest_bin: SIX_OR_EIGHT,
  last4: FOUR,
  dest_last4: FOUR,
}
const CURRENCY_COLUMNS: ReadonlySet<string> = new Set(['currency', 'settlement_currency'])
const EXPONENT_MAX = 3

export function kindOf(
  table: LedgerTable,
  name: string,
  { type }: LedgerColumn,
  { source, currencies }: CheckContext,
): ColumnKind {
  const vocabulary = VOCABULARIES[name]
  const digits = DIGITS[name]
  if (vocabulary !== undefined) return oneOf(vocabulary, SYNONYMS[name])
  if (digits !== undefined) return matching(digits.pattern, digits.expected)
  if (CURRENCY_COLUMNS.has(name)) {
    if (table === 'currencies') return matching('[A-Z]{3}', 'expected a code of ISO 4217')
    return knownCurrency(currencies)
  }
  if (name === 'timezone') return TIMEZONE
  if (isIdColumn(name)) return ID
  if (name === 'exponent')
    return integer(0, EXPONENT_MAX, `expected a whole number from 0 to ${EXPONENT_MAX}`)
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

const ID: ColumnKind = {
  expected: `expected ${ID_EXPECTED}`,
  define: (name) => [
    `if(isValidUTF8(text_${name}) AND lengthUTF8(text_${name}) <= ${ID_LENGTH_MAX} AND NOT match(text_${name}, ${literal(NOT_IN_ID)}), text_${name}, NULL) AS value_${name}`,
  ],
}

const TEXT: ColumnKind = {
  expected: 'expected text in UTF-8',
  define: (name) => [`if(isValidUTF8(text_${name}), text_${name}, NULL) AS value_${name}`],
  isText: true,
}

const TIMEZONE: ColumnKind = {
  expected: 'expected an IANA time zone such as Europe/Berlin',
  define: (name) => [
    `if(text_${name} = '' OR text_${name} IN (SELECT time_zone FROM system.time_zones), text_${name}, NULL) AS value_${name}`,
  ],
  isText: true,
}

function matching(pattern: string, expected: string): ColumnKind {
  return {
    expected,
    define: (name) => [
      `if(match(text_${name}, '^${pattern}$'), text_${name}, NULL) AS value_${name}`,
    ],
  }
}

function oneOf(
  values: readonly string[],
  synonyms: Readonly<Record<string, string>> = {},
): ColumnKind {
  const others = Object.keys(synonyms)
  return {
    expected: `expected one of ${[...values, ...others].join(', ')}`,
    define: (name) => {
      const words = literals(Object.values(synonyms))
      const word =
        others.length === 0
          ? `text_${name}`
          : `transform(text_${name}, ${literals(others)}, ${words}, text_${name})`
      return [
        `${word} AS word_${name}`,
        `if(has(${literals(values)}, word_${name}), word_${name}, NULL) AS value_${name}`,
      ]
    },
  }
}

function knownCurrency(currencies: readonly Currency[]): ColumnKind {
  return {
    ...oneOf(currencies.map(({ currency }) => currency)),
    expected: `expected a currency that the ledger knows, with at most ${EXPONENT_MAX} fraction digits`,
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
