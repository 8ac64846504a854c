import { LEDGER_TABLES } from '../../../ledger/src/model/model.ts'
import { type FileRow } from '../kit/import-kit.ts'

/** The fault of a missing value. */
const VALUE = 'expected a value'
const ID =
  'expected an id: 1 to 128 characters without control characters, and without a space at either end'
const MONEY =
  'expected a number such as 1234.50, with at most 16 digits before its point and 4 after it'
const TIME =
  'expected a time that exists once, written as YYYY-MM-DD hh:mm:ss or 2026-11-20T10:00:00+01:00'
const DAY = 'expected an existing day, written as YYYY-MM-DD'
const CURRENCY = 'expected a currency that the ledger knows, with at most 3 fraction digits'
/** The fault of a value that may be a card number. */
export function cardFault(column: string): string {
  const advice = `If these are ids of your own, list ${column} under notCardNumbers in the head of the source`
  return `${column}: expected no card number. ${advice}`
}

const RATE =
  'expected a number such as 1234.50, with at most 10 digits before its point and 8 after it'
/** Numbers with more digits than their columns have, and with more than the engine's longest decimal has. */
const TOO_LONG = Object.entries(LEDGER_TABLES.transactions)
  .filter(([, { type }]) => type.includes('Decimal'))
  .flatMap(([name, { type }]) => {
    const reason = `${name}: ${type.includes('(18, 8)') ? RATE : MONEY}`
    const numbers = ['9'.repeat(20), '9'.repeat(40), `-${'9'.repeat(40)}`, `0.${'9'.repeat(40)}`]
    if (name === 'fx_rate') numbers.push('92233720369', '-92233720369')
    return numbers.map((number) => [{ [name]: number }, reason] as const)
  })

/** A wrong value in a row, and the errors for it. */
export const WRONG: readonly (readonly [FileRow, ...string[]])[] = [
  [{ transaction_id: undefined }, `transaction_id: ${VALUE}`],
  [{ transaction_id: '' }, `transaction_id: ${VALUE}`],
  [{ transaction_id: ' 1' }, `transaction_id: ${ID}`],
  [{ order_id: 'x\ty' }, `order_id: ${ID}`],
  [{ merchant_id: 'é'.repeat(129) }, `merchant_id: ${ID}`],
  [{ merchant_id: 'a\u200bb' }, `merchant_id: ${ID}`],
  [{ row_version: undefined }, `row_version: ${VALUE}`],
  [{ row_version: '1.0' }, 'row_version: expected a whole number of at most 9223372036854775807'],
  [{ error_code: '2147483648' }, 'error_code: expected a whole number of at most 2147483647'],
  [
    { transaction_type: 'refunded' },
    'transaction_type: expected one of sale, preauth, capture, cancel, reversal, transfer, payout, account_verification, pan_eligibility, chargeback, fraud, retrieval, dispute, chargeback_reversal, refund_reversal, representment, fee, adjustment, reserve_release, refund',
  ],
  [
    { status: 'Approved' },
    'status: expected one of approved, declined, filtered, error, processing, unknown',
  ],
  [{ status: '' }, `status: ${VALUE}`],
  [{ created_at: '2026-02-30 10:00:00' }, `created_at: ${TIME}`],
  [{ created_at: '2026-10-01 24:00:00' }, `created_at: ${TIME}`],
  [{ created_at: '2026-10-01' }, `created_at: ${TIME}`],
  [{ created_at: '1899-12-31 10:00:00' }, `created_at: ${TIME}`],
  [{ created_at: '2300-01-01 10:00:00' }, `created_at: ${TIME}`],
  [{ updated_at: '9999-12-31 23:59:59.999' }, `updated_at: ${TIME}`],
  [{ processed_at: 'soon' }, `processed_at: ${TIME}`],
  [{ bank_date: '2026-02-30' }, `bank_date: ${DAY}`],
  [{ bank_date: '1899-12-31' }, `bank_date: ${DAY}`],
  [{ amount: '10,50' }, `amount: ${MONEY}`],
  [{ amount: '1e3' }, `amount: ${MONEY}`],
  [{ amount: '.5' }, `amount: ${MONEY}`],
  [{ amount: '10.12345' }, `amount: ${MONEY}`],
  [{ amount: '12345678901234567' }, `amount: ${MONEY}`],
  ...TOO_LONG,
  [{ amount: '10.505' }, 'amount: expected no more fraction digits than its currency has'],
  [
    { amount: '10.5', currency: 'JPY' },
    'amount: expected no more fraction digits than its currency has',
  ],
  [
    { settlement_amount: '1.2345', settlement_currency: 'KWD' },
    'settlement_amount: expected no more fraction digits than its currency has',
  ],
  [
    { net_amount: '-0.001', settlement_currency: 'EUR' },
    'net_amount: expected no more fraction digits than its currency has',
  ],
  [{ gateway_fee: '1' }, 'gateway_fee: expected a settlement_currency beside it'],
  [{ currency: 'XUA' }, `currency: ${CURRENCY}`],
  [{ currency: 'eur' }, `currency: ${CURRENCY}`],
  [{ settlement_currency: 'CLF' }, `settlement_currency: ${CURRENCY}`],
  [{ bin: '41111' }, 'bin: expected 6 or 8 digits'],
  [{ bin: '4111111' }, 'bin: expected 6 or 8 digits'],
  [{ last4: '111' }, 'last4: expected 4 digits'],
  [{ dest_last4: '4111111111111111' }, 'dest_last4: expected 4 digits'],
  [{ order_description: 'paid with 4111 1111 1111 1111, thanks' }, cardFault('order_description')],
  [{ client_order_id: '4111111111111111' }, cardFault('client_order_id')],
  [{ card_ref_id: '4111111111111111' }, cardFault('card_ref_id')],
  [{ order_id: 'ch-4111111111111111' }, cardFault('order_id')],
  [{ merchant_id: '4111-1111-1111-1111' }, cardFault('merchant_id')],
  [
    { status: 'x', amount: 'y', currency: 'z' },
    'status: expected one of approved, declined, filtered, error, processing, unknown',
    `amount: ${MONEY}`,
    `currency: ${CURRENCY}`,
  ],
]

/** Card numbers. */
export const NUMBERS = [
  '4111111111111111',
  '378282246310005',
  '5555555555554444',
  '2223003122003222',
]

/** Texts that hold a card number. */
export const IN_TEXT = [
  ...NUMBERS,
  'card 4111-1111-1111-1111.',
  'x4111 1111 1111 1111y',
  '12 4111111111111111 5',
  '1 2 3 4 4111 1111 1111 1111 5 6',
  '6304 0000 0000 0000',
  '4222222222222',
  '4111  1111  1111  1111',
  'card 1234.4111.1111.1111.1111',
  '3600.000000.0008',
  '4111\t1111\t1111\t1111',
  '\u{664}'.concat('\u{661}'.repeat(15)),
  '\u{FF14}111 1111\u{A0}1111 1111',
  '4\u0301111\u{200B}111111111111',
  // Marks that the engine's Unicode does not know yet.
  '4\u{897}1\u{1ACF}1\u{1AEB}1\u{10D69}1\u{113B8}11111111111',
]

/** Identifiers that are a card number. */
export const IN_IDENTIFIERS = [
  ...NUMBERS,
  'ORD4111111111111111',
  '4111111111111111x',
  '4222222222222',
  '36000000000008',
  '4111-1111-1111-1111',
  '600000000000000007',
  '6200000000000000000',
  '\u{664}'.concat('\u{661}'.repeat(15)),
]

/** Hexadecimal ids with the digits of a card number. */
const HEXADECIMAL = [
  'ab4111111111111111cdef01',
  '4111111111111111ABCDEF0123456789',
  'abcd4111-1111-4111-8111-1111abcdef01',
]

/** Texts without a card number. */
export const NOT_IN_TEXT = [
  ...HEXADECIMAL.map((id) => `ref ${id}, thanks`),
  '4111111111111112',
  '4111     1111  1111  1111',
  '411111******1111',
  '41111111111111111111',
  '0004111111111111111',
  '1111111111111117',
  '20261120103000123',
  '9223372036854775807',
  '0012345678901234567',
  '+49 30 1234 5678 901',
  '1 '.repeat(3_000),
]

/** Identifiers that are no card number. */
export const NOT_IN_IDENTIFIERS = [
  ...HEXADECIMAL,
  'tx4111111111111111z',
  '6304000000000000000',
  '4111111111111111000',
  '20261122103000',
  '1795216694000',
]
