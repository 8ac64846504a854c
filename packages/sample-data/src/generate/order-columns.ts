import { HARD_TEXTS } from './hard-texts.ts'
import { isKind, KINDS } from './slots.ts'
import { type Columns, draw, hash, pick, when } from './sql.ts'

// Nineteen digits, more than a float can hold; they grow from day to day.
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

/** What the id of a statement is made of: the day, the project, and the place of the settlement currency. */
export const STATEMENT_ID = { day: 100_000_000, project: 100 }

/** The id of what is settled for a project and a settlement currency (a place in `CURRENCIES`) on a day. */
export const statementId = (day: string, project: string, currency: string): string => {
  return `toInt64((${day}) * ${STATEMENT_ID.day} + ${project} * ${STATEMENT_ID.project} + ${currency})`
}

/** What a transaction is, which others it belongs to, and what the merchant wrote of it. */
export const ORDER_COLUMNS: Columns = {
  text_hash: hash('text', 'n'),
  is_retry: isKind('kind', 'retry'),
  is_double: isKind('kind', 'double'),
  // Of ten retries six have the order id of what they repeat, with a suffix.
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
  transaction_type: pick(
    KINDS.map(({ type }) => type),
    'kind',
  ),
  statement_id: when('is_settled', statementId('business_day', 'project_id', 'settled_in')),
  // A text that is not wanted is looked up all the same: the first one is short.
  order_description: `if(is_hard,
    ${pick(HARD_TEXTS, `if(is_hard, ${draw('text_hash', 1, HARD_TEXTS.length)}, 0)`)},
    concat(${pick(GOODS, draw('text_hash', 1, GOODS.length))}, ' ', toString(named_order), ', paid online'))`,
  descriptor: "concat('SHOP', toString(merchant_id), '*ONLINE')",
  merchant_data: `multiIf(text_hash % 100 < 10, concat('{"basket":', toString(text_hash % 99991), '}'),
    text_hash % 100 < 12, '', NULL)`,
}
