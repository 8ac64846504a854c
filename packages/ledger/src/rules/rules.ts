import { GatewayError } from '@counterfoil/common'
import { nearestName } from '@counterfoil/protocol'
import { TYPES_THAT_TAKE } from '../model/model.ts'

/** What happens to a row that breaks a rule. */
export const SEVERITIES = ['refuse', 'warn', 'off'] as const

export type Severity = (typeof SEVERITIES)[number]

/**
 * What a rule looks at: a transaction alone, beside the transaction that it refers to, beside its statement, or a
 * statement beside its transactions and its neighbours.
 */
export type RuleSubject = 'transaction' | 'original' | 'settlement' | 'statement'

/** A rule of the ledger. `import` and `verify-ledger` run the same list. */
export interface LedgerRule {
  readonly name: string
  readonly of: RuleSubject
  readonly severity: Severity
  /** SQL: whether a row breaks the rule. NULL means that the row does not. `broken-rows.ts` defines its names. */
  readonly when: string
  /** The sentence that people read. */
  readonly sentence: string
}

const CHARGEBACK_TYPES = "('chargeback', 'chargeback_reversal', 'representment')"
const FOLLOWERS = `('reversal', 'capture', 'cancel', 'chargeback', 'chargeback_reversal', 'refund_reversal', 'representment')`

// A line for each rule: what happens, its name and its sentence. The lines below it are its SQL.

const OF_TRANSACTION = `
refuse negative_amount: amount, settlement_amount, reserve_amount: expected 0 or more, because the transaction_type says the direction. Only an adjustment has a sign
  transaction_type != 'adjustment' AND (amount < 0 OR settled < 0) OR held < 0
refuse adjustment_sign: settlement_amount: expected the sign of the amount in an adjustment
  transaction_type = 'adjustment' AND amount * settled < 0
refuse net_sign: net_amount: expected 0 or less for a transaction_type that takes money (${[...TYPES_THAT_TAKE, 'transfer'].join(', ')})
  direction = -1 AND net > 0
refuse net_arithmetic: net_amount: expected settlement_amount - gateway_fee - reserve_amount, with - settlement_amount for a type that takes money
  direction != 0 AND isNotNull(net_amount) AND NOT (direction = -1 AND net > 0)
    AND net != if(transaction_type = 'fee', 0, direction * settled) - fee - held
refuse fee_row: settlement_amount: expected none in a fee, because gateway_fee holds its money
  transaction_type = 'fee' AND settled != 0
refuse type_money: net_amount, statement_id, reserve_amount: expected none for a type or a stage that moves no money
  type_direction = 0 AND (net != 0 OR isNotNull(statement_id) OR held != 0)
refuse status_money: net_amount, statement_id, reserve_amount: expected none for a transaction that is not approved
  status != 'approved' AND type_direction != 0 AND (net != 0 OR isNotNull(statement_id) OR held != 0)
refuse settled_without_net: net_amount: expected a value beside a statement_id
  direction != 0 AND isNotNull(statement_id) AND isNull(net_amount)
refuse fx_rate: fx_rate: expected the settlement_amount for one unit of the amount, and 1 for the same currency
  isNotNull(fx_rate) AND isNotNull(settlement_amount) AND transaction_type != 'fee' AND (fx_rate <= 0
    OR currency = settlement_currency AND (fx_rate != 1 OR settled != amount)
    OR abs(toFloat64(settled) - toFloat64(amount) * toFloat64(fx_rate)) > 0.01 * abs(toFloat64(settled)) + least)
warn missing_rate: fx_rate: expected a rate between two currencies
  settled != 0 AND currency != settlement_currency AND isNull(fx_rate)
warn minor_units: amount: 100 times the settlement_amount, or a hundredth of it. Amounts are in major units
  settled != 0 AND currency = settlement_currency AND (amount = 100 * settled OR settled = 100 * amount)
warn settled_amount: settlement_amount: expected the amount, because both have the same currency
  currency = settlement_currency AND isNotNull(settlement_amount) AND isNull(fx_rate) AND settled != amount
    AND amount != 100 * settled AND settled != 100 * amount
warn fee_on_decline: gateway_fee: expected none for a transaction that was not approved
  status IN ('declined', 'filtered', 'error') AND fee != 0
warn fee_above_amount: gateway_fee: more than the settlement_amount
  direction = 1 AND transaction_type IN ('sale', 'capture') AND settled > 0 AND fee > settled
warn negative_fee: gateway_fee, processor_fee, interchange_fee, scheme_fee: less than 0
  transaction_type NOT IN ('reversal', 'chargeback', 'chargeback_reversal', 'refund_reversal', 'representment',
    'fee', 'adjustment')
    AND least(fee, ifNull(processor_fee, 0), ifNull(interchange_fee, 0), ifNull(scheme_fee, 0)) < 0
warn commission: reseller_commission, manager_commission: more than the gateway_fee of which they are shares
  ifNull(reseller_commission, 0) + ifNull(manager_commission, 0) > greatest(fee, 0)
warn zero_amount: amount: 0 for a type that moves money
  direction != 0 AND amount = 0
warn reserve: reserve_amount: expected a reserve_release beside it, and at most the settlement_amount
  held > 0 AND (isNull(reserve_release) OR direction = 1 AND held > settled)
warn reserve_date: reserve_release: expected a day in the ten years after created_at
  reserve_release < toDate32(created_at) OR reserve_release > toDate32(created_at) + INTERVAL 10 YEAR
refuse stage_word: dispute_stage: expected first, second or arbitration for a chargeback, its reversal and a representment, represented, won or lost for a dispute, and none for other types
  stage != ''
    AND NOT multiIf(transaction_type IN ${CHARGEBACK_TYPES}, stage IN ('first', 'second', 'arbitration'),
    transaction_type = 'dispute', stage IN ('represented', 'won', 'lost'), 0)
refuse future_date: created_at, updated_at, processed_at, settled_at: expected a time before tomorrow ends. A bank_date is at most a week ahead
  greatest(created_at, updated_at, ifNull(processed_at, created_at), ifNull(settled_at, created_at)) > tomorrow
    OR bank_date > toDate32(tomorrow) + 6
warn old_date: created_at: before the year 2000
  created_at < toDateTime64('2000-01-01 00:00:00', 3, 'UTC')
warn time_order: updated_at, processed_at, settled_at, bank_date: before created_at
  least(updated_at, ifNull(processed_at, updated_at), ifNull(settled_at, updated_at)) < created_at
    OR bank_date < toDate32(created_at) - 1
refuse original_itself: original_transaction_id: expected another transaction
  original_transaction_id = transaction_id
warn original_missing: original_transaction_id: expected the transaction that it refers to
  isNull(original_transaction_id) AND transaction_type IN ${FOLLOWERS}`

const OF_ORIGINAL = `
warn original_unknown: original_transaction_id: no transaction of the ledger or of the files
  original_id = ''
refuse original_merchant: original_transaction_id: expected a transaction of the same merchant
  original_id != '' AND original_merchant != merchant_id
refuse original_currency: currency: expected the currency of the original transaction
  original_id != '' AND original_currency != currency AND transaction_type IN ${FOLLOWERS}
refuse original_type: original_transaction_id: expected the payment, and not its refund, for a reversal, a chargeback or what gives their money back, and a preauth for a capture
  original_id != ''
    AND multiIf(transaction_type IN ('reversal', 'chargeback'), original_type NOT IN ('sale', 'capture', 'preauth',
    'transfer', 'payout', 'fee'), transaction_type = 'capture', original_type != 'preauth',
    transaction_type IN ('chargeback_reversal', 'refund_reversal', 'representment'), original_type IN ('reversal',
    'cancel'), 0)
refuse original_status: original_transaction_id: expected an approved transaction
  status = 'approved' AND original_status IN ('declined', 'filtered', 'error')
    AND transaction_type IN ('reversal', 'chargeback', 'capture')
warn original_later: created_at: before that of the original transaction
  original_id != '' AND original_created > created_at
refuse refunded_total: amount: expected all reversals of a transaction together to be at most its amount
  original_id != '' AND status = 'approved' AND transaction_type = 'reversal' AND original_currency = currency
    AND refunded > original_amount
warn captured_total: amount: all captures of a preauth together are more than its amount
  original_id != '' AND status = 'approved' AND transaction_type = 'capture' AND original_currency = currency
    AND captured > original_amount
warn chargeback_amount: amount: a chargeback of more than its sale
  original_id != '' AND transaction_type = 'chargeback' AND original_currency = currency
    AND amount > original_amount
warn returned_total: amount: the reversals and chargebacks of a transaction together are more than its amount
  original_id != '' AND status = 'approved' AND transaction_type IN ('reversal', 'chargeback')
    AND original_currency = currency AND amount <= original_amount AND refunded <= original_amount
    AND returned > original_amount
warn reserve_released: original_transaction_id: its reserve_release releases the reserve already, or it held less
  transaction_type = 'reserve_release' AND (isNotNull(original_release) OR original_id != ''
    AND settled > ifNull(original_reserve, 0))`

const OF_SETTLEMENT = `
warn statement_unknown: statement_id: no statement of the ledger. Import statements, too
  settling_id = ''
refuse statement_account: statement_id: expected a statement of the same merchant and project
  settling_id != '' AND (settling_merchant != merchant_id OR settling_project != project_id)
refuse statement_currency: settlement_currency: expected the currency of the statement
  settling_id != '' AND settling_currency != ifNull(settlement_currency, '')
refuse statement_day: statement_id: expected a statement whose business_day is not before created_at
  settling_id != '' AND settling_day < toDate32(created_at) - 1`

const OF_STATEMENT = `
refuse statement_sum: closing: expected opening + payable - paid_out
  opening + payable - paid_out != closing
refuse statement_continuity: opening: expected the closing of the statement before, of the same project and currency
  is_first = 0 AND opening != closing_before OR is_new AND is_last = 0 AND is_next_new = 0
    AND closing != opening_after
refuse statement_twin: project_id, business_day, currency: expected no other statement_id with the same values
  twins > 1
warn statement_total: payable: not the net_amount of its transactions plus the reserves that it releases. Fees or payouts may lack a row
  payable != total
refuse statement_date: business_day: expected a day at most a week ahead
  business_day > toDate32(tomorrow) + 6
warn negative_payout: paid_out: less than 0
  paid_out < 0
warn overpaid: paid_out: more than the balance
  paid_out > 0 AND closing < 0
warn payout_reference: payout_reference: expected none if nothing is paid
  paid_out = 0 AND ifNull(payout_reference, '') != ''`

const RULE = /^(\w+) (\w+): (.*)\n([^]*)$/

/** Every rule. docs/own-data.md lists them. */
export const LEDGER_RULES: readonly LedgerRule[] = [
  ...rulesOf('transaction', OF_TRANSACTION),
  ...rulesOf('original', OF_ORIGINAL),
  ...rulesOf('settlement', OF_SETTLEMENT),
  ...rulesOf('statement', OF_STATEMENT),
]

/**
 * Reads the severities of rules from the configuration.
 *
 * @throws {GatewayError} `config` for a rule that there is not
 */
export function readSeverities(
  ledgerRules: Readonly<Record<string, Severity>>,
): Readonly<Record<string, Severity>> {
  const names = LEDGER_RULES.map(({ name }) => name)
  const unknown = Object.keys(ledgerRules).find((name) => !names.includes(name))
  if (unknown === undefined) return ledgerRules
  const nearest = nearestName(unknown, names)
  const hint = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`
  throw new GatewayError('config', `ledgerRules.${unknown}: expected the name of a rule${hint}`)
}

function rulesOf(of: RuleSubject, table: string): readonly LedgerRule[] {
  return table.split(/\n(?=[a-z])/).flatMap((text) => {
    const [, severity, name = '', sentence = '', when = ''] = RULE.exec(text) ?? []
    const known = SEVERITIES.find((one) => one === severity)
    return known === undefined ? [] : [{ name, of, severity: known, when, sentence }]
  })
}
