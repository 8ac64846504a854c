import {
  CATEGORIES,
  categoryOf,
  companyOf,
  currencyDraw,
  currencyPlaces,
  endpointOf,
  type Entities,
  gateOf,
  managerOn,
  processorOf,
  projectOfMerchant,
  resellerOf,
  settlementCurrencyOf,
} from './entities.ts'
import { merchantRanks, RANK_INTERVALS } from './quantiles.ts'
import { BLOCK_ROWS, codeOfSlot, decodeSlot, FATES, isKind } from './slots.ts'
import { type Columns, draw, drawLarge, hash, pick } from './sql.ts'

/**
 * The owners of a transaction, from its root: the ids of the hierarchy, and its `customer`. `priced_in` and
 * `settled_in` are indexes of `CURRENCIES`. `root_kind` and `root_fate` are the root's.
 */
export function partyColumns(entities: Entities): Columns {
  const ranks = merchantRanks(entities.merchants)
  const merchantBy = (quarter: 0 | 2): string => {
    const at = draw('party_hash', quarter, RANK_INTERVALS)
    const [from, to] = [pick(ranks, at), pick(ranks, `${at} + 1`)]
    // Small merchants share an interval.
    return `${from} + ${draw('party_hash', quarter === 0 ? 1 : 3, 65_536)} % greatest(1, ${to} - ${from})`
  }
  const complaintsOf = (merchant: string): string => {
    return pick(
      CATEGORIES.map(({ complaints }) => complaints),
      categoryOf(merchant),
    )
  }
  return {
    party_hash: hash('party', 'n_root'),
    choice_hash: hash('choice', 'n_root'),
    root_slot: codeOfSlot('n_root'),
    root_kind: decodeSlot('kind', 'root_slot'),
    root_fate: decodeSlot('fate', 'root_slot'),
    one_merchant: merchantBy(0),
    other_merchant: merchantBy(2),
    // Merchants with more complaints get more of the payments that come back.
    merchant_id: `toInt32(if(${isKind('root_kind', 'sale')} AND root_fate = ${FATES.indexOf('approved')}
      AND ${complaintsOf('other_merchant')} > ${complaintsOf('one_merchant')}, other_merchant, one_merchant))`,
    customer: drawLarge('choice_hash', 1, entities.customers),
    project_id: projectOfMerchant(entities, 'merchant_id', draw('choice_hash', 0, 10)),
    company_id: companyOf(entities, 'merchant_id'),
    reseller_id: resellerOf(entities, 'merchant_id'),
    manager_id: managerOn(entities, 'merchant_id', 'reseller_id', 'business_day'),
    // A large merchant accepts every currency. Each project of another merchant has one.
    priced_in: pick(
      currencyPlaces(),
      `if(merchant_id <= ${entities.largeMerchants}, ${draw('choice_hash', 1, 1000)}, ${currencyDraw('project_id')})`,
    ),
    settled_in: settlementCurrencyOf('project_id', 'priced_in'),
    endpoint_id: endpointOf('project_id', 'priced_in'),
    // Some refunds and retries use the next gate of their currency, because a shop's gate changes sometimes.
    moved_gates: `toInt64(${isKind('kind', 'refund', 'retry')} AND intDiv(n, ${BLOCK_ROWS}) % 5 = 0)`,
    gate_id: gateOf(entities, '(project_id + moved_gates)', 'priced_in'),
    processor_id: processorOf(entities, 'gate_id'),
  }
}
