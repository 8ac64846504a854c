import { CLOCK_CHANGE_DAYS, DAYS, FIRST_DAY_NUMBER } from './calendar.ts'
import {
  CATEGORIES,
  categoryOf,
  CURRENCY_PLACES,
  currencyDraw,
  endpointOf,
  type Entities,
  hierarchyOf,
  settlementCurrencyOf,
  ZONES,
  zoneOf,
} from './entities.ts'
import { HARD_TEXTS } from './hard-texts.ts'
import { DAYTIME_INTERVALS, DAYTIME_SECONDS, merchantRanks, RANK_INTERVALS } from './quantiles.ts'
import { BLOCK_ROWS, codeOfSlot, decodeSlot, FATES, isKind, KINDS, STAGES } from './slots.ts'
import { type Columns, draw, drawLarge, hash, pick, pluck, quantile, when } from './sql.ts'

/**
 * The owners of a transaction, from its root: the ids of the hierarchy, and its `customer`. `priced_in` and
 * `settled_in` are indexes of `CURRENCIES`. `root_kind` and `root_fate` are the root's.
 */
export function partyColumns(entities: Entities): Columns {
  const hierarchy = hierarchyOf(entities)
  const ranks = merchantRanks(entities.merchants)
  const merchantBy = (quarter: 0 | 2): string => {
    const at = draw('party_hash', quarter, RANK_INTERVALS)
    const [from, to] = [pick(ranks, at), pick(ranks, `${at} + 1`)]
    // Small merchants share an interval.
    return `${from} + ${draw('party_hash', quarter === 0 ? 1 : 3, 65_536)} % greatest(1, ${to} - ${from})`
  }
  const complaintsOf = (merchant: string): string => {
    return pluck(CATEGORIES, 'complaints', categoryOf(merchant))
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
    project_id: hierarchy.projectOf('merchant_id', draw('choice_hash', 0, 10)),
    company_id: hierarchy.companyOf('merchant_id'),
    reseller_id: hierarchy.resellerOf('merchant_id'),
    manager_id: hierarchy.managerOn('merchant_id', 'reseller_id', 'business_day'),
    // A large merchant accepts every currency. Each project of another merchant has one.
    priced_in: pick(
      CURRENCY_PLACES,
      `if(merchant_id <= ${entities.largeMerchants}, ${draw('choice_hash', 1, 1000)}, ${currencyDraw('project_id')})`,
    ),
    settled_in: settlementCurrencyOf('project_id', 'priced_in'),
    endpoint_id: endpointOf('project_id', 'priced_in'),
    // Some refunds and retries use the next gate of their currency, because a shop's gate changes sometimes.
    moved_gates: `toInt64(${isKind('kind', 'refund', 'retry')} AND intDiv(n, ${BLOCK_ROWS}) % 5 = 0)`,
    gate_id: hierarchy.gateOf('(project_id + moved_gates)', 'priced_in'),
    processor_id: hierarchy.processorOf('gate_id'),
  }
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const SAME_ORDER_WITHIN_MS = 600_000
const SETTLED_AT_HOUR = 18

const instant = (ms: string): string => `reinterpret(toInt64(${ms}), 'DateTime64(3, \\'UTC\\')')`

/** A day of the ledger, as the engine stores days. */
export const date = (day: string): string => `toDate32(${FIRST_DAY_NUMBER} + ${day})`

/**
 * When a transaction is created, processed, settled and last changed. The first transaction of each day is in the day's
 * last millisecond, the second in its first. On a day of a clock change, two more are half an hour before and after the
 * change.
 */
export const TIME_COLUMNS: Columns = {
  time_hash: hash('time', 'n_root'),
  delay_hash: hash('delay', 'n'),
  offset_ms: pick(
    ZONES.map(({ offsetMinutes }) => offsetMinutes * 60_000),
    zoneOf('merchant_id'),
  ),
  clock_change: `transform(root_day, [${CLOCK_CHANGE_DAYS.map(({ day }) => day).join(', ')}],
    [${CLOCK_CHANGE_DAYS.map(({ hour }) => hour).join(', ')}], 0)`,
  shop_ms: `1000 * (${quantile(DAYTIME_SECONDS, draw('time_hash', 0, 65_536), DAYTIME_INTERVALS)})
    + ${draw('time_hash', 1, 1000)}`,
  root_ms: `multiIf(place = 0, ${DAY_MS - 1}, place = 1, 0,
    place < 4 AND clock_change > 0, clock_change * ${HOUR_MS} + (2 * place - 5) * ${HOUR_MS / 2},
    (shop_ms + ${DAY_MS} - offset_ms) % ${DAY_MS})`,
  start_ms: 'if(day = root_day, root_ms, 0)',
  // A follower on the same day comes after its root and before midnight.
  span_ms: `if(day = root_day, least(${DAY_MS - 1} - root_ms,
    if(${isKind('kind', 'retry', 'double')}, ${SAME_ORDER_WITHIN_MS}, ${DAY_MS})), ${DAY_MS})`,
  // Stages of a complaint on the same day follow each other: each has a third of the span.
  stage_span_ms: `intDiv(span_ms, ${STAGES.length - 1})`,
  day_ms: `multiIf(n = n_root, root_ms,
    stage > 0, start_ms + (stage - 1) * stage_span_ms + ${drawLarge('lag_hash', 1, 'stage_span_ms')},
    start_ms + ${drawLarge('lag_hash', 1, 'span_ms')})`,
  created_ms: `toInt64((${FIRST_DAY_NUMBER} + day) * ${DAY_MS} + day_ms)`,
  // Accounts are slower than cards.
  processed_ms: `created_ms + if(is_to_account, 60000, 300) + ${draw('delay_hash', 0, 20_000)}`,
  settled_ms: `(${FIRST_DAY_NUMBER} + business_day) * ${DAY_MS} + ${SETTLED_AT_HOUR * HOUR_MS}
    + 1000 * (project_id % 3600)`,
  updated_ms: 'toInt64(multiIf(is_settled, settled_ms, is_processing, created_ms, processed_ms))',
  is_settled: `moves_money AND business_day < ${DAYS}`,
  created_at: instant('created_ms'),
  processed_at: when('NOT is_processing', instant('processed_ms')),
  bank_date: when('is_settled', date('business_day')),
  settled_at: when('is_settled', instant('settled_ms')),
  updated_at: instant('updated_ms'),
  row_version: 'updated_ms',
}

// Ids have nineteen digits, more than a float can hold, and grow from day to day.
const TRANSACTION_ID = { base: 10n ** 18n, day: 10n ** 10n }
const ORDER_ID_BASE = 700_000_000

const HARD_PER_THOUSAND = 15
const GOODS = [
  'Order',
  'Basket',
  'Subscription',
  'Ticket',
  'Top-up',
  'Gift card',
  'Booking',
  'Repair',
]

const transactionId = (day: string, n: string): string => {
  return `toInt64(${TRANSACTION_ID.base} + ${TRANSACTION_ID.day} * ${day} + ${n})`
}

/** The factors of a statement's id: it has the day, the project, and the index of the settlement currency. */
export const STATEMENT_ID = { day: 100_000_000, project: 100 }

/** The statement id of a day, a project and a settlement currency (an index of `CURRENCIES`). */
export const statementId = (day: string, project: string, currency: string): string => {
  return `toInt64((${day}) * ${STATEMENT_ID.day} + ${project} * ${STATEMENT_ID.project} + ${currency})`
}

/** The ids and type of a transaction, and the merchant's texts. */
export const ORDER_COLUMNS: Columns = {
  text_hash: hash('text', 'n'),
  is_retry: isKind('kind', 'retry'),
  is_double: isKind('kind', 'double'),
  // Six of ten retries have the order id of the first attempt with a suffix.
  is_suffixed: `is_retry AND ${draw('text_hash', 2, 10)} < 6`,
  named_order: 'if(is_retry AND NOT is_suffixed, n, n_root)',
  is_hard: `${draw('text_hash', 0, 1000)} < ${HARD_PER_THOUSAND}`,
  transaction_id: transactionId('day', 'n'),
  order_id: `toInt64(${ORDER_ID_BASE} + if(is_retry OR is_double, n, n_root))`,
  original_transaction_id: when(
    'n != n_root AND NOT is_double',
    transactionId('root_day', 'n_root'),
  ),
  client_order_id: `concat(if(merchant_id % 4 = 3, '00', 'ORD-'), leftPad(toString(named_order), 10, '0'),
    if(is_suffixed, '-2', ''))`,
  transaction_type: pluck(KINDS, 'type', 'kind'),
  statement_id: when('is_settled', statementId('business_day', 'project_id', 'settled_in')),
  // The engine reads the table even for rows that do not use its text. They read the first text, which is short.
  order_description: `if(is_hard,
    ${pick(HARD_TEXTS, `if(is_hard, ${draw('text_hash', 1, HARD_TEXTS.length)}, 0)`)},
    concat(${pick(GOODS, draw('text_hash', 1, GOODS.length))}, ' ', toString(named_order), ', paid online'))`,
  descriptor: "concat('SHOP', toString(merchant_id), '*ONLINE')",
  merchant_data: `multiIf(text_hash % 100 < 10, concat('{"basket":', toString(text_hash % 99991), '}'),
    text_hash % 100 < 12, '', NULL)`,
}
