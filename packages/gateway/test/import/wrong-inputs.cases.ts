import type { FileRow } from '../kit/import-kit.ts'

/** A settled sale of 100 EUR, the base of every wrong transaction. */
export const SALE: FileRow = {
  amount: '100.00',
  currency: 'EUR',
  settlement_amount: '100.00',
  settlement_currency: 'EUR',
  fx_rate: '1',
  gateway_fee: '2.00',
  net_amount: '98.00',
}

const NO_MONEY: FileRow = {
  settlement_amount: undefined,
  settlement_currency: undefined,
  fx_rate: undefined,
  gateway_fee: undefined,
  net_amount: undefined,
}

/** Transactions that the ledger has before. */
export const HELD = {
  sale: { statement_id: '@501' },
  declined: { ...NO_MONEY, status: 'declined' },
  preauth: { ...NO_MONEY, transaction_type: 'preauth' },
  dollars: { currency: 'USD', settlement_currency: 'USD' },
  reserved: { reserve_amount: '10', net_amount: '88', reserve_release: '2026-11-01' },
  refunded: {},
  late: { created_at: '2026-10-05 10:00:00.000', updated_at: '2026-10-05 10:00:00.000' },
  returned: {
    transaction_type: 'reversal',
    original_transaction_id: '@refunded',
    amount: '60.00',
    settlement_amount: '60.00',
    gateway_fee: undefined,
    net_amount: '-60.00',
  },
} as const satisfies Record<string, FileRow>

/** Each wrong transaction: how it differs from `SALE`, and the rules that it breaks. A name alone has no value. */
export const WRONG_TRANSACTIONS: readonly (readonly [FileRow, ...string[]])[] = `
amount=-100.00 | negative_amount fx_rate
no_money, transaction_type=reversal, amount=-5, original_transaction_id=@sale | negative_amount
reserve_amount=-1, net_amount=99 | negative_amount
transaction_type=adjustment, fx_rate, amount=-5, settlement_amount=5, net_amount=3 | adjustment_sign settled_amount
transaction_type=payout, net_amount=98 | net_sign
transaction_type=transfer, net_amount=98 | net_sign
net_amount=100.00 | net_arithmetic
gateway_fee | net_arithmetic
reserve_amount=10, reserve_release=2027-04-01 | net_arithmetic
settlement_amount, settlement_currency=EUR, fx_rate, gateway_fee, net_amount=98 | net_arithmetic
transaction_type=reversal, original_transaction_id=@sale, net_amount=-98.00 | net_arithmetic
transaction_type=payout, net_amount=-98 | net_arithmetic
transaction_type=fee, net_amount=-2 | fee_row
transaction_type=preauth | type_money
no_money, transaction_type=fraud, statement_id=@501 | type_money statement_currency
transaction_type=chargeback, dispute_stage=second, original_transaction_id=@sale, net_amount=-102 | type_money
status=processing | status_money
no_money, settlement_currency=EUR, status=declined, statement_id=@501 | status_money
net_amount, statement_id=@501 | settled_without_net
fx_rate=0 | fx_rate
fx_rate=-1 | fx_rate
fx_rate=1.1 | fx_rate
currency=USD, fx_rate=0.5 | fx_rate
currency=JPY, fx_rate=163 | fx_rate
amount=101, fx_rate=1 | fx_rate
currency=USD, fx_rate | missing_rate
amount=10000, fx_rate | minor_units
amount=1, fx_rate | minor_units
amount=90, fx_rate | settled_amount
settlement_amount, settlement_currency=EUR, fx_rate, gateway_fee=0.10, net_amount, status=declined | fee_on_decline
gateway_fee=101, net_amount=-1 | fee_above_amount
gateway_fee=-2, net_amount=102 | negative_fee
scheme_fee=-0.01 | negative_fee
reseller_commission=1.50, manager_commission=0.51 | commission
no_money, amount=0 | zero_amount
reserve_amount=10, net_amount=88 | reserve
reserve_amount=101, net_amount=-3, reserve_release=2027-04-01 | reserve
reserve_amount=1, net_amount=97, reserve_release=2026-09-30 | reserve_date
reserve_amount=1, net_amount=97, reserve_release=2199-04-01 | reserve_date
dispute_stage=first | stage_word
transaction_type=chargeback, dispute_stage=1st, original_transaction_id=@sale, net_amount=-102 | stage_word
no_money, transaction_type=dispute, dispute_stage=arbitration | stage_word
created_at=2199-01-01 00:00:00, updated_at=2199-01-01 00:00:00 | future_date
updated_at=2027-01-03 00:00:00 | future_date
processed_at=2199-01-01 00:00:00 | future_date
settled_at=2027-01-03 00:00:00 | future_date
bank_date=2199-01-01 | future_date
created_at=1970-01-01 00:00:00 | old_date
updated_at=2026-09-30 00:00:00 | time_order
processed_at=2026-09-30 00:00:00 | time_order
bank_date=2026-09-01 | time_order
transaction_type=reversal, original_transaction_id, net_amount=-102.00 | original_missing
original_transaction_id=@itself | original_itself
transaction_type=reversal, original_transaction_id=77, net_amount=-102.00 | original_unknown
transaction_type=reversal, original_transaction_id=@sale, net_amount=-102.00, merchant_id=2 | original_merchant
transaction_type=reversal, original_transaction_id=@dollars, net_amount=-102.00 | original_currency
transaction_type=reversal, original_transaction_id=@declined, net_amount=-102.00 | original_status
transaction_type=capture, original_transaction_id=@late, created_at=2026-10-06 10:00:00, updated_at=2026-10-06 10:00:00 | original_type
transaction_type=reversal, original_transaction_id=@late, net_amount=-3, amount=1, settlement_amount=1 | original_later
transaction_type=reversal, original_transaction_id=@refunded, net_amount=-42.01, amount=40.01, settlement_amount=40.01 | refunded_total
transaction_type=reversal, original_transaction_id=@sale, net_amount=-102.01, amount=100.01, settlement_amount=100.01 | refunded_total
transaction_type=refund_reversal, net_amount=-102 | net_arithmetic original_missing
transaction_type=refund_reversal, original_transaction_id=@returned, gateway_fee, amount=60, settlement_amount=60, net_amount=60 | original_type
transaction_type=capture, original_transaction_id=@preauth, amount=100.01, settlement_amount=100.01, net_amount=98.01 | captured_total
transaction_type=chargeback, original_transaction_id=@dollars, currency=USD, settlement_currency=USD, amount=100.01, settlement_amount=100.01, net_amount=-102.01 | chargeback_amount
transaction_type=chargeback, original_transaction_id=@refunded, net_amount=-102 | returned_total
transaction_type=reserve_release, original_transaction_id=@reserved, amount=10, settlement_amount=10, gateway_fee, net_amount=10 | reserve_released
statement_id=999 | statement_unknown
statement_id=@501, merchant_id=2 | statement_account
statement_id=@501, project_id=2 | statement_account
statement_id=@501, currency=USD, settlement_currency=USD | statement_currency
statement_id=@501, created_at=2026-10-04 00:00:00, updated_at=2026-10-04 00:00:00 | statement_day statement_total
statement_id=@502 | statement_total`
  .trim()
  .split('\n')
  .map((line) => {
    const [change = '', rules = ''] = line.split(' | ')
    const entries = change.split(', ').flatMap((entry) => {
      if (entry === 'no_money') return Object.entries(NO_MONEY)
      const [name = '', value] = entry.split('=')
      return [[name, value] as const]
    })
    return [Object.fromEntries(entries), ...rules.split(' ')]
  })

/** Statements that the ledger has before, for each wrong row: `statement_id` to `closing`, and `payout_reference`. */
export const HELD_STATEMENTS = [
  '501,1,@,EUR,2026-10-02,0,98,98,0,ref-1',
  '502,1,@,EUR,2026-10-20,0,0,0,0,',
]

/** Each wrong statement, and the rules that it breaks. */
export const WRONG_STATEMENTS: readonly (readonly [string, ...string[]])[] = [
  ['601,2,2,EUR,2026-10-02,0,98,0,97,', 'statement_sum', 'statement_total'],
  ['602,1,@,EUR,2026-10-21,1,0,0,1,', 'statement_continuity'],
  ['603,1,@,EUR,2026-10-10,0,5,0,5,', 'statement_continuity', 'statement_total'],
  ['609,1,@,EUR,2026-10-20,0,0,0,0,', 'statement_twin'],
  ['604,3,3,EUR,2026-10-02,0,98,98,0,', 'statement_total'],
  ['605,4,4,EUR,2027-02-01,0,0,0,0,', 'statement_date'],
  ['606,5,5,EUR,2026-10-02,0,0,-5,5,', 'negative_payout'],
  ['607,6,6,EUR,2026-10-02,0,0,5,-5,', 'overpaid'],
  ['608,7,7,EUR,2026-10-02,0,0,0,0,ref-2', 'payout_reference'],
]
