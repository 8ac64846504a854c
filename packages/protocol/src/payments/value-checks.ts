import {
  EXAMPLE_CARDS,
  holdsCardNumber,
  isCardNumber,
  passesLuhn,
  plainDigits,
} from './card-numbers.ts'
import { namesSecretField } from './secret-fields.ts'
import type { FieldKind, OperationErrorName } from './operation.ts'

/** A condition on a value. */
export interface ValueCheck {
  readonly accepts: (value: string) => boolean
  /** The condition, as the end of a sentence with "expected". */
  readonly expected: string
  /** By default `field-value`. */
  readonly error?: OperationErrorName
}

// The ledger stores card ids as 64-bit integers.
const CARD_ID_MAX = 2n ** 63n - 1n

const NOT_LIKE_A_CARD = 'nothing that looks like a card number'
const NO_CARD_IN_TEXT = check((value) => !holdsCardNumber(value), NOT_LIKE_A_CARD)
const NO_CARD = check((value) => !isCardNumber(value), NOT_LIKE_A_CARD)
// A telephone number has at most 15 digits (ITU-T E.164). With fewer than 15, it never counts as a card number.
const TELEPHONE_DIGITS = 15
const NO_CARD_IN_PHONE = check((value) => {
  const digits = plainDigits(value).match(/\d/g) ?? []
  return digits.length < TELEPHONE_DIGITS || !isCardNumber(value)
}, 'fewer than 15 digits, or digits that do not look like a card number')
const NO_SECRET_FIELD = check(
  (value) => !namesSecretField(value),
  'no card field with a value, such as cvv2=...',
)
const TEXT = pattern(/^(?:[\t\n\r]|\P{Cc})*$/u, 'no control characters but tabs and line ends')
const DIGITS = pattern(/^\d+$/, 'digits only')
const AMOUNT_EXPECTED =
  'digits without needless leading zeros, with a dot before the fraction, such as 10.42 or 0.50'

/** The conditions on a value of each kind, besides its length. The fault names the first condition that fails. */
export const VALUE_CHECKS: Readonly<Record<FieldKind, readonly ValueCheck[]>> = {
  text: [TEXT, NO_CARD_IN_TEXT, NO_SECRET_FIELD],
  phone: [TEXT, NO_CARD_IN_PHONE, NO_SECRET_FIELD],
  identifier: [pattern(/^\P{Cc}*$/u, 'no control characters'), NO_CARD, NO_SECRET_FIELD],
  digits: [DIGITS],
  'card-id': [
    DIGITS,
    check((value) => BigInt(value) <= CARD_ID_MAX, `a card's id of at most ${CARD_ID_MAX}`),
    NO_CARD,
  ],
  card: [
    DIGITS,
    {
      accepts: (value) => passesLuhn(value) || EXAMPLE_CARDS.includes(value),
      expected: "a card's number with the right check digit (Luhn), or a documented test card",
      error: 'card-number',
    },
  ],
  cvv: [DIGITS],
  amount: [
    pattern(/^(?:0|[1-9]\d*)(?:\.\d+)?$/, AMOUNT_EXPECTED),
    pattern(/[1-9]/, 'an amount of more than 0'),
  ],
  currency: [pattern(/^[A-Z]{3}$/, 'three upper-case letters, such as EUR')],
  month: [pattern(/^(?:0[1-9]|1[0-2])$/, 'a month from 01 to 12')],
  year: [pattern(/^20\d\d$/, 'a year from 2000 to 2099')],
  birthday: [
    pattern(
      /^(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{2}|\d{4})$/,
      'month, day and year as MMDDYY or MMDDYYYY',
    ),
  ],
  boolean: [pattern(/^(?:true|false)$/, 'true or false')],
  country: [pattern(/^[A-Z]{2}$/, 'two upper-case letters, such as LV')],
  email: [
    TEXT,
    pattern(/^[^\s@]+@[^\s@]+$/, 'an e-mail address'),
    NO_CARD_IN_TEXT,
    NO_SECRET_FIELD,
  ],
  ip: [check(isIpAddress, 'an IPv4 or IPv6 address'), NO_CARD_IN_TEXT],
  url: [
    check(isWebAddress, 'a URL that begins with https:// or http://'),
    NO_CARD,
    NO_SECRET_FIELD,
  ],
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

function isIpAddress(value: string): boolean {
  return IPV4.test(value) || (/^[\da-f:.]+$/i.test(value) && URL.canParse(`http://[${value}]/`))
}

function isWebAddress(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value)
}

function check(accepts: ValueCheck['accepts'], expected: string): ValueCheck {
  return { accepts, expected }
}

function pattern(regExp: RegExp, expected: string): ValueCheck {
  return check((value) => regExp.test(value), expected)
}
