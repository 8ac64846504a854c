import { HARD_TEXTS } from './hard-texts.ts'
import { isKind, KINDS } from './slots.ts'
import { type Columns, draw, hash, pick, when } from './sql.ts'

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
  transaction_type: pick(
    KINDS.map(({ type }) => type),
    'kind',
  ),
  statement_id: when('is_settled', statementId('business_day', 'project_id', 'settled_in')),
  // The engine reads the table even for rows that do not use its text. They read the first text, which is short.
  order_description: `if(is_hard,
    ${pick(HARD_TEXTS, `if(is_hard, ${draw('text_hash', 1, HARD_TEXTS.length)}, 0)`)},
    concat(${pick(GOODS, draw('text_hash', 1, GOODS.length))}, ' ', toString(named_order), ', paid online'))`,
  descriptor: "concat('SHOP', toString(merchant_id), '*ONLINE')",
  merchant_data: `multiIf(text_hash % 100 < 10, concat('{"basket":', toString(text_hash % 99991), '}'),
    text_hash % 100 < 12, '', NULL)`,
}
