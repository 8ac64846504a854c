import {
  type LedgerColumn,
  type LedgerTable,
  STATUSES,
  TRANSACTION_TYPES,
} from '../ledger/model.ts'
import type { Mapping } from './mapping.ts'
import { literals } from '../clickhouse/literals.ts'
import { defineDay, defineTime } from './times.ts'

/** What the texts of a column must be to become its values. */
export interface ColumnKind {
  /** What is expected of a text. */
  readonly expected: string
  /** In SQL: what makes `value_<name>` of `text_<name>`; NULL where the text is not what is expected. */
  readonly define: (name: string) => readonly string[]
  /** Whether a text of no characters is a value. */
  readonly isText: boolean
}

/** The context of a check: everything but the rows. */
export interface CheckContext {
  readonly mapping: Mapping
  readonly currencies: readonly Currency[]
  readonly reservedIds?: IdRange | undefined
}

/** Ids from the first to the last, both included. */
export interface IdRange {
  readonly first: bigint
  readonly last: bigint
}

/** A currency, and how many fraction digits its amounts have: 3 at most. */
export interface Currency {
  readonly currency: string
  readonly exponent: number
}

const VOCABULARIES: Readonly<Record<string, readonly string[]>> = {
  status: STATUSES,
  transaction_type: TRANSACTION_TYPES,
}
const DIGITS: Readonly<Record<string, number>> = { bin: 6, dest_bin: 6, last4: 4, dest_last4: 4 }
const CURRENCY_COLUMNS: ReadonlySet<string> = new Set(['currency', 'settlement_currency'])
const EXPONENT_MAX = 3

/** The kind of a column of a table. */
export function kindOf(
  table: LedgerTable,
  name: string,
  { type }: LedgerColumn,
  { mapping, currencies }: CheckContext,
): ColumnKind {
  const vocabulary = VOCABULARIES[name]
  const digits = DIGITS[name]
  if (vocabulary !== undefined) return oneOf(vocabulary)
  if (digits !== undefined) return matching(`[0-9]{${digits}}`, `expected ${digits} digits`)
  if (CURRENCY_COLUMNS.has(name)) {
    if (table === 'currencies') return matching('[A-Z]{3}', 'expected a code of ISO 4217')
    return knownCurrency(currencies)
  }
  if (name === 'timezone') return TIMEZONE
  if (name === 'exponent')
    return integer(0, EXPONENT_MAX, `expected a whole number from 0 to ${EXPONENT_MAX}`)
  if (type.includes('Int')) {
    const max = type.includes('Int64') ? 2n ** 63n - 1n : 2n ** 31n - 1n
    if (name.endsWith('_id')) return integer(1, max, `expected a whole number from 1 to ${max}`)
    return integer(-max, max, `expected a whole number of at most ${max}`)
  }
  const [, precision, scale] = /Decimal\((\d+), (\d+)\)/.exec(type) ?? []
  if (precision !== undefined && scale !== undefined)
    return decimal(Number(precision), Number(scale))
  if (type.includes('DateTime64')) return instant(mapping)
  return type.includes('Date32') ? day(mapping) : TEXT
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

/** A text that matches a pattern as a whole. */
function matching(pattern: string, expected: string): ColumnKind {
  return {
    expected,
    define: (name) => [
      `if(match(text_${name}, '^${pattern}$'), text_${name}, NULL) AS value_${name}`,
    ],
    isText: false,
  }
}

function oneOf(words: readonly string[]): ColumnKind {
  return {
    expected: `expected one of ${words.join(', ')}`,
    define: (name) => [
      `if(has(${literals(words)}, text_${name}), text_${name}, NULL) AS value_${name}`,
    ],
    isText: false,
  }
}

function knownCurrency(currencies: readonly Currency[]): ColumnKind {
  return {
    ...oneOf(currencies.map(({ currency }) => currency)),
    expected: `expected a currency that the ledger knows, with at most ${EXPONENT_MAX} fraction digits`,
  }
}

/** A whole number, written with its digits alone: the engine takes what it reads back as it was written. */
function integer(min: bigint | number, max: bigint | number, expected: string): ColumnKind {
  return {
    expected,
    define: (name) => [
      `toInt64OrNull(text_${name}) AS read_${name}`,
      `if(toString(read_${name}) = text_${name} AND read_${name} BETWEEN ${min} AND ${max}, read_${name}, NULL) AS value_${name}`,
    ],
    isText: false,
  }
}

/** A decimal number; zeros after the last digit that counts are none of its digits. */
function decimal(precision: number, scale: number): ColumnKind {
  const whole = precision - scale
  const pattern = `^-?[0-9]{1,${whole}}([.][0-9]{1,${scale}}0*)?$`
  return {
    expected: `expected a number such as 1234.50, with at most ${whole} digits before its point and ${scale} after it`,
    define: (name) => [
      // The engine also converts what NULL hides: a text that does not fit must not become a number first.
      `toDecimal128OrNull(if(match(text_${name}, '${pattern}'), assumeNotNull(text_${name}), ''), ${scale}) AS value_${name}`,
    ],
    isText: false,
  }
}

function day({ days }: Mapping): ColumnKind {
  return {
    expected: 'expected a day that there is, such as 2026-11-20',
    define: (name) => defineDay(name, days),
    isText: false,
  }
}

function instant({ days, timezone }: Mapping): ColumnKind {
  return {
    expected:
      'expected a time that there is once, such as 2026-11-20 10:00:00.000 or 2026-11-20T10:00:00+01:00',
    define: (name) => defineTime(name, days, timezone),
    isText: false,
  }
}
