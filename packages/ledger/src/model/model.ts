/**
 * The ledger's data model: what reports may read, what an import fills and what the demo generates. `migrate-ledger.ts`
 * creates these tables.
 *
 * There is no column for a PAN or a CVV, and there never will be.
 */

/** A column of the ledger. */
export interface LedgerColumn {
  /** The type in the engine. Instants are UTC. */
  readonly type: string
  /** What the column holds, in a few words. */
  readonly about: string
  /** For an amount: the column of its currency. The amount is in that currency's major unit. */
  readonly moneyIn?: 'currency' | 'settlement_currency'
  /** SQL of the value in a row that an operator inserts without one. */
  readonly default?: string
}

/** The columns of a table, by name. */
export type LedgerColumns = Readonly<Record<string, LedgerColumn>>

// An id is a text of the operator.
const ID = 'String'
// An id that many rows share.
const SHARED_ID = 'LowCardinality(String)'
const TEXT = 'Nullable(String)'
const WORD = 'LowCardinality(Nullable(String))'
const INSTANT = "DateTime64(3, 'UTC')"
const DAY = 'Nullable(Date32)'
const MONEY = 'Nullable(Decimal(20, 4))'

const money = (about: string, moneyIn: 'currency' | 'settlement_currency'): LedgerColumn => {
  return { type: MONEY, about, moneyIn }
}

// The owners of a transaction when it was processed. If a merchant moves, its history stays as it was.
const HIERARCHY_COLUMNS = {
  gate_id: { type: SHARED_ID, about: 'an account at an acquirer' },
  company_id: { type: SHARED_ID, about: 'the legal entity of the merchant' },
  project_id: { type: SHARED_ID, about: 'the shop of the merchant' },
  endpoint_id: { type: SHARED_ID, about: 'the endpoint that the merchant called' },
  merchant_id: { type: SHARED_ID, about: 'the merchant' },
  processor_id: { type: SHARED_ID, about: 'the processor behind the gate' },
  manager_id: { type: SHARED_ID, about: 'the manager of the merchant' },
  reseller_id: { type: WORD, about: 'the reseller of the merchant' },
} as const satisfies LedgerColumns

/** One row is one version of a transaction. The highest `row_version` is the current one. */
export const TRANSACTION_COLUMNS = {
  transaction_id: { type: ID, about: 'the gateway’s id of this event' },
  order_id: { type: ID, about: 'the gateway’s id of the order' },
  original_transaction_id: {
    type: TEXT,
    about:
      'the sale of a refund, the disputed payment of a chargeback, the payment of their reversals, the preauth of a capture, the declined attempt of a retry',
  },
  client_order_id: { type: 'String', about: 'the merchant’s own id of the order' },
  transaction_type: {
    type: 'LowCardinality(String)',
    about: 'sale, reversal …',
  },
  status: { type: 'LowCardinality(String)', about: 'approved, declined …' },
  created_at: { type: INSTANT, about: 'when it was created' },
  processed_at: { type: `Nullable(${INSTANT})`, about: 'when it was decided' },
  bank_date: { type: DAY, about: 'the bank’s business day' },
  settled_at: { type: `Nullable(${INSTANT})`, about: 'when it was settled' },
  updated_at: { type: INSTANT, about: 'when it last changed' },
  row_version: {
    type: 'Int64',
    about: 'grows with each change; default: `updated_at` in milliseconds',
    default: 'toUnixTimestamp64Milli(updated_at)',
  },
  amount: {
    type: 'Decimal(20, 4)',
    about: 'the amount, never negative but in an adjustment',
    moneyIn: 'currency',
  },
  currency: { type: 'LowCardinality(String)', about: 'the currency of the amount, ISO 4217' },
  settlement_amount: money('the settled amount', 'settlement_currency'),
  settlement_currency: { type: WORD, about: 'the currency of the settlement, ISO 4217' },
  fx_rate: {
    type: 'Nullable(Decimal(18, 8))',
    about: 'the settlement amount for one unit of the amount',
  },
  gateway_fee: money('the fee of the gateway', 'settlement_currency'),
  processor_fee: money('the fee of the processor', 'settlement_currency'),
  interchange_fee: money('the fee of the issuer', 'settlement_currency'),
  scheme_fee: money('the fee of the card scheme', 'settlement_currency'),
  reseller_commission: money('the reseller’s share of the gateway’s fee', 'settlement_currency'),
  manager_commission: money('the manager’s share of the gateway’s fee', 'settlement_currency'),
  reserve_amount: money('the amount held in reserve', 'settlement_currency'),
  reserve_release: {
    type: DAY,
    about: 'when the reserve is due: the first statement from this day on releases it',
  },
  net_amount: money('what the merchant gets; negative if the merchant pays', 'settlement_currency'),
  tariff_id: { type: WORD, about: 'the tariff of its fees' },
  statement_id: { type: TEXT, about: 'the statement that settles it' },
  ...HIERARCHY_COLUMNS,
  payment_method: { type: WORD, about: 'card, bank transfer …' },
  card_brand: { type: WORD, about: 'the card scheme' },
  card_kind: { type: WORD, about: 'debit, credit …' },
  bin: { type: TEXT, about: 'the first 6 or 8 digits of the card' },
  last4: { type: TEXT, about: 'the last four digits of the card' },
  card_country: { type: WORD, about: 'the issuer’s country, ISO 3166-1' },
  issuer_bank: { type: WORD, about: 'the issuer' },
  card_holder: { type: TEXT, about: 'the name on the card' },
  card_ref_id: { type: TEXT, about: 'the gateway’s token for the card' },
  dest_bin: { type: TEXT, about: 'the first 6 or 8 digits of the receiving card' },
  dest_last4: { type: TEXT, about: 'the last four digits of the receiving card' },
  dest_bank: { type: WORD, about: 'the receiving bank' },
  dest_account_mask: { type: TEXT, about: 'the receiving account, masked' },
  approval_code: { type: TEXT, about: 'the issuer’s code of approval' },
  rrn: { type: TEXT, about: 'the retrieval reference number' },
  arn: { type: TEXT, about: 'the acquirer reference number' },
  processor_tx_id: { type: TEXT, about: 'the processor’s id' },
  three_ds: { type: WORD, about: 'the outcome of 3-D Secure' },
  eci: { type: WORD, about: 'the electronic commerce indicator' },
  response_code: { type: WORD, about: 'the issuer’s response code' },
  error_code: { type: 'Nullable(Int32)', about: 'the code of the gateway’s error' },
  error_message: {
    type: WORD,
    about: 'the issuer’s answer, or the gateway’s error',
  },
  decline_group: { type: WORD, about: 'who declined: acquirer, filter or technical' },
  filter_rule: { type: WORD, about: 'the fraud filter’s rule' },
  reason_code: {
    type: WORD,
    about: 'the reason of a chargeback, retrieval, dispute or fraud',
  },
  dispute_stage: {
    type: WORD,
    about:
      'first, second or arbitration of a chargeback, its reversal or a representment; represented, won or lost of a dispute',
  },
  dispute_due: { type: DAY, about: 'when the answer to a chargeback, retrieval or dispute is due' },
  customer_name: {
    type: TEXT,
    about: 'the customer; of a payout or an outgoing transfer, the receiver',
  },
  email: { type: TEXT, about: 'the customer’s e-mail address' },
  phone: { type: TEXT, about: 'the customer’s telephone number' },
  ip: { type: TEXT, about: 'the customer’s IP address' },
  ip_country: { type: WORD, about: 'the country of the IP address, ISO 3166-1' },
  billing_country: { type: WORD, about: 'the country of the billing address, ISO 3166-1' },
  order_description: { type: TEXT, about: 'the merchant’s description of the order' },
  purpose: { type: TEXT, about: 'the purpose of a payout' },
  descriptor: { type: WORD, about: 'the text on the customer’s bank statement' },
  merchant_data: { type: TEXT, about: 'any data of the merchant' },
} as const satisfies LedgerColumns

/**
 * What a merchant's project is paid for a business day, in one settlement currency. A statement never changes.
 * `payable` = sum of the transactions' `net_amount` + released reserve; `closing` = `opening` + `payable` - `paid_out`;
 * `opening` is the `closing` of the day before.
 */
const STATEMENT_COLUMNS = {
  statement_id: { type: ID, about: 'the gateway’s id' },
  merchant_id: HIERARCHY_COLUMNS.merchant_id,
  project_id: HIERARCHY_COLUMNS.project_id,
  currency: { type: 'LowCardinality(String)', about: 'the settlement currency, ISO 4217' },
  business_day: { type: 'Date32', about: 'the day that it settles' },
  opening: { type: 'Decimal(20, 4)', about: 'the balance before the day', moneyIn: 'currency' },
  payable: { type: 'Decimal(20, 4)', about: 'the amount that the day adds', moneyIn: 'currency' },
  paid_out: {
    type: 'Decimal(20, 4)',
    about: 'the amount paid to the merchant',
    moneyIn: 'currency',
  },
  closing: { type: 'Decimal(20, 4)', about: 'the balance after the day', moneyIn: 'currency' },
  payout_reference: { type: TEXT, about: 'the bank’s reference of the payment of `paid_out`' },
  company_id: HIERARCHY_COLUMNS.company_id,
  manager_id: HIERARCHY_COLUMNS.manager_id,
  reseller_id: HIERARCHY_COLUMNS.reseller_id,
} as const satisfies LedgerColumns

const NAME: LedgerColumn = { type: 'String', about: 'the name' }
const CURRENCY: LedgerColumn = { type: 'String', about: 'the currency, ISO 4217' }

/** The tables that transactions refer to. The first column is the id. */
const DIMENSIONS = {
  managers: {
    manager_id: { type: ID, about: 'the id' },
    name: NAME,
    superior_id: { type: TEXT, about: 'the manager above' },
  },
  resellers: {
    reseller_id: { type: ID, about: 'the id' },
    name: NAME,
    manager_id: { type: ID, about: 'the manager' },
  },
  companies: {
    company_id: { type: ID, about: 'the id' },
    name: NAME,
    country: { type: 'String', about: 'the country, ISO 3166-1' },
  },
  merchants: {
    merchant_id: { type: ID, about: 'the id' },
    name: NAME,
    login: {
      type: 'String',
      about: 'for information; `logins add` decides who sees what',
    },
    company_id: { type: ID, about: 'the legal entity' },
    manager_id: { type: ID, about: 'the manager' },
    reseller_id: { type: TEXT, about: 'the reseller' },
    timezone: { type: 'String', about: 'the IANA time zone' },
    mcc: { type: 'String', about: 'the merchant category code' },
  },
  projects: {
    project_id: { type: ID, about: 'the id' },
    name: NAME,
    merchant_id: { type: ID, about: 'the merchant' },
  },
  processors: { processor_id: { type: ID, about: 'the id' }, name: NAME },
  gates: {
    gate_id: { type: ID, about: 'the id' },
    name: NAME,
    processor_id: { type: ID, about: 'the processor' },
    currency: CURRENCY,
  },
  endpoints: {
    endpoint_id: { type: ID, about: 'the id' },
    name: NAME,
    project_id: { type: ID, about: 'the project' },
    gate_id: { type: ID, about: 'the gate' },
    currency: CURRENCY,
  },
  currencies: {
    currency: { type: 'String', about: 'the currency, ISO 4217' },
    exponent: { type: 'UInt8', about: 'fraction digits of amounts, 3 at most' },
  },
} as const satisfies Record<string, LedgerColumns>

/** The columns that the ledger fills itself. An import neither reads nor compares them. */
const OWN_COLUMNS = {
  transactions: {
    loaded_at: {
      type: INSTANT,
      about: 'when the ledger received this version; no import has this column',
      default: 'now64(3)',
    },
  },
} as const satisfies Record<string, LedgerColumns>

/** Every table that reports may read and that an import fills. */
export const LEDGER_TABLES = {
  transactions: TRANSACTION_COLUMNS,
  statements: STATEMENT_COLUMNS,
  ...DIMENSIONS,
} as const satisfies Record<string, LedgerColumns>

/** Returns the columns of a table that the ledger fills itself. */
export function ownColumns(table: string): LedgerColumns {
  return new Map<string, LedgerColumns>(Object.entries(OWN_COLUMNS)).get(table) ?? {}
}

/** Ids that a merchant or a processor chooses. */
const FOREIGN_IDS: ReadonlySet<string> = new Set(['client_order_id', 'processor_tx_id'])

/** Whether a column holds ids of the operator. */
export function isIdColumn(name: string): boolean {
  return name.endsWith('_id') && !FOREIGN_IDS.has(name)
}

/** The name of a ledger table. */
export type LedgerTable = keyof typeof LEDGER_TABLES

/** Whether a text is the name of a ledger table. */
export function isLedgerTable(name: string): name is LedgerTable {
  return Object.hasOwn(LEDGER_TABLES, name)
}

/** The values of `status`. */
export const STATUSES = [
  'approved',
  'declined',
  'filtered',
  'error',
  'processing',
  'unknown',
] as const

/** The values of `transaction_type`. */
export const TRANSACTION_TYPES = [
  'sale',
  'preauth',
  'capture',
  'cancel',
  'reversal',
  'transfer',
  'payout',
  'account_verification',
  'pan_eligibility',
  'chargeback',
  'fraud',
  'retrieval',
  'dispute',
  'chargeback_reversal',
  'refund_reversal',
  'representment',
  'fee',
  'adjustment',
  'reserve_release',
] as const

/** Types that give money to the merchant. So do the leg in of a transfer, and an adjustment that is not negative. */
export const TYPES_THAT_GIVE = [
  'sale',
  'capture',
  'chargeback_reversal',
  'refund_reversal',
  'representment',
  'reserve_release',
  'adjustment',
] as const

/** Types that take money from the merchant. So does a transfer out. */
export const TYPES_THAT_TAKE = ['reversal', 'chargeback', 'payout', 'fee'] as const
