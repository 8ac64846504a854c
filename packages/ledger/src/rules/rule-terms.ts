import { ISO_4217 } from '@counterfoil/protocol'
import { literals } from '@counterfoil/engine'
import { TYPES_THAT_GIVE, TYPES_THAT_TAKE } from '../model/model.ts'

const UNITS = ISO_4217.filter(({ exponent }) => exponent !== 2)

/**
 * SQL that the rules of transactions use. `type_direction` says whether the type gives money to the merchant (1), takes
 * money (-1) or moves none (0), and `direction` the same of an approved transaction.
 */
export const TRANSACTION_TERMS: Readonly<Record<string, string>> = {
  stage: "ifNull(toString(dispute_stage), '')",
  is_in: `(isNotNull(last4) OR isNotNull(card_ref_id))
    AND isNull(dest_last4) AND isNull(dest_bank) AND isNull(dest_account_mask)`,
  type_direction: `multiIf(
    has(${literals(TYPES_THAT_GIVE)}, transaction_type), 1,
    transaction_type = 'chargeback' AND stage IN ('second', 'arbitration'), 0,
    has(${literals(TYPES_THAT_TAKE)}, transaction_type), -1,
    transaction_type = 'transfer', if(is_in, 1, -1),
    0)`,
  direction: "if(status = 'approved', type_direction, 0)",
  settled: 'ifNull(settlement_amount, 0)',
  fee: 'ifNull(gateway_fee, 0)',
  held: 'ifNull(reserve_amount, 0)',
  net: 'ifNull(net_amount, 0)',
  least: `transform(ifNull(toString(settlement_currency), ''), ${literals(UNITS.map(({ currency }) => currency))},
    [${UNITS.map(({ exponent }) => `toFloat64(${10 ** -exponent})`).join(', ')}], toFloat64(0.01))`,
}
