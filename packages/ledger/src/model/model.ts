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
  /** What an imported row has without a value: that of another column, or an empty text. */
  readonly instead?: string
}

/** The columns of a table, by name. */
export type LedgerColumns = Readonly<Record<string, LedgerColumn>>

const columnOf = (type: string) => {
  return (about: string): LedgerColumn => ({ type, about })
}

// An id is a text of the operator.
const id = columnOf('String')
const textOrEmpty = (about: string) => ({ ...id(about), instead: '' })
// A text that many rows share, and that every row has.
const sharedText = columnOf('LowCardinality(String)')
const sharedOrEmpty = (about: string) => ({ ...sharedText(about), instead: '' })
const text = columnOf('Nullable(String)')
const word = columnOf('LowCardinality(Nullable(String))')
const INSTANT = "DateTime64(3, 'UTC')"
const instant = columnOf(INSTANT)
const maybeInstant = columnOf(`Nullable(${INSTANT})`)
const day = columnOf('Nullable(Date32)')

const AMOUNT = 'Decimal(20, 4)'
const amount = (about: string): LedgerColumn => ({ type: AMOUNT, about, moneyIn: 'currency' })
const settled = (about: string): LedgerColumn => {
  return { type: `Nullable(${AMOUNT})`, about, moneyIn: 'settlement_currency' }
}

// The owners of a transaction when it was processed. If a merchant moves, its history stays as it was.
const HIERARCHY_COLUMNS = {
  gate_id: sharedOrEmpty('an account at an acquirer'),
  company_id: sharedOrEmpty('the legal entity of the merchant'),
  project_id: sharedOrEmpty('the shop of the merchant'),
  endpoint_id: sharedOrEmpty('the endpoint that the merchant called'),
  merchant_id: sharedText('the merchant'),
  processor_id: sharedOrEmpty('the processor behind the gate'),
  manager_id: sharedOrEmpty('the manager of the merchant'),
  reseller_id: word('the reseller of the merchant'),
} as const satisfies LedgerColumns

/** One row is one version of a transaction. The highest `row_version` is the current one. */
export const TRANSACTION_COLUMNS = {
  transaction_id: id('the gateway’s id of this event'),
  order_id: { ...id('the gateway’s id of the order'), instead: 'transaction_id' },
  original_transaction_id: text(
    'the sale of a refund, the disputed payment of a chargeback, the payment of their reversals, the preauth of a capture, the declined attempt of a retry',
  ),
  client_order_id: { ...id('the merchant’s own id of the order'), instead: 'order_id' },
  transaction_type: sharedText('sale, reversal …'),
  status: sharedText('approved, declined …'),
  created_at: instant('when it was created'),
  processed_at: maybeInstant('when it was decided'),
  bank_date: day('the bank’s business day'),
  settled_at: maybeInstant('when it was settled'),
  updated_at: { ...instant('when it last changed'), instead: 'created_at' },
  row_version: {
    type: 'Int64',
    about: 'grows with each change; default: `updated_at` in milliseconds',
    default: 'toUnixTimestamp64Milli(updated_at)',
  },
  amount: amount('the amount, never negative but in an adjustment'),
  currency: sharedText('the currency of the amount, ISO 4217'),
  settlement_amount: settled('the settled amount'),
  settlement_currency: word('the currency of the settlement, ISO 4217'),
  fx_rate: columnOf('Nullable(Decimal(18, 8))')('the settlement amount for one unit of the amount'),
  gateway_fee: settled('the fee of the gateway'),
  processor_fee: settled('the fee of the processor'),
  interchange_fee: settled('the fee of the issuer'),
  scheme_fee: settled('the fee of the card scheme'),
  reseller_commission: settled('the reseller’s share of the gateway’s fee'),
  manager_commission: settled('the manager’s share of the gateway’s fee'),
  reserve_amount: settled('the amount held in reserve'),
  reserve_release: day('when the reserve is due: the first statement from this day on releases it'),
  net_amount: settled('what the merchant gets; negative if the merchant pays'),
  tariff_id: word('the tariff of its fees'),
  statement_id: text('the statement that settles it'),
  ...HIERARCHY_COLUMNS,
  payment_method: word('card, bank transfer …'),
  card_brand: word('the card scheme'),
  card_kind: word('debit, credit …'),
  bin: text('the first 6 or 8 digits of the card'),
  last4: text('the last four digits of the card'),
  card_country: word('the issuer’s country, ISO 3166-1'),
  issuer_bank: word('the issuer'),
  card_holder: text('the name on the card'),
  card_ref_id: text('the gateway’s token for the card'),
  dest_bin: text('the first 6 or 8 digits of the receiving card'),
  dest_last4: text('the last four digits of the receiving card'),
  dest_bank: word('the receiving bank'),
  dest_account_mask: text('the receiving account, masked'),
  approval_code: text('the issuer’s code of approval'),
  rrn: text('the retrieval reference number'),
  arn: text('the acquirer reference number'),
  processor_tx_id: text('the processor’s id'),
  three_ds: word('the outcome of 3-D Secure'),
  eci: word('the electronic commerce indicator'),
  response_code: word('the issuer’s response code'),
  error_code: columnOf('Nullable(Int32)')('the code of the gateway’s error'),
  error_message: word('the issuer’s answer, or the gateway’s error'),
  decline_group: word('who declined: acquirer, filter or technical'),
  filter_rule: word('the fraud filter’s rule'),
  reason_code: word('the reason of a chargeback, retrieval, dispute or fraud'),
  dispute_stage: word(
    'first, second or arbitration of a chargeback, its reversal or a representment; represented, won or lost of a dispute',
  ),
  dispute_due: day('when the answer to a chargeback, retrieval or dispute is due'),
  customer_name: text('the customer; of a payout or an outgoing transfer, the receiver'),
  email: text('the customer’s e-mail address'),
  phone: text('the customer’s telephone number'),
  ip: text('the customer’s IP address'),
  ip_country: word('the country of the IP address, ISO 3166-1'),
  billing_country: word('the country of the billing address, ISO 3166-1'),
  order_description: text('the merchant’s description of the order'),
  purpose: text('the purpose of a payout'),
  descriptor: word('the text on the customer’s bank statement'),
  merchant_data: text('any data of the merchant'),
} as const satisfies LedgerColumns

/**
 * What a merchant's project is paid for a business day, in one settlement currency. A statement never changes.
 * `payable` = sum of the transactions' `net_amount` + released reserve; `closing` = `opening` + `payable` - `paid_out`;
 * `opening` is the `closing` of the day before.
 */
const STATEMENT_COLUMNS = {
  statement_id: id('the gateway’s id'),
  merchant_id: HIERARCHY_COLUMNS.merchant_id,
  project_id: HIERARCHY_COLUMNS.project_id,
  currency: sharedText('the settlement currency, ISO 4217'),
  business_day: columnOf('Date32')('the day that it settles'),
  opening: amount('the balance before the day'),
  payable: amount('the amount that the day adds'),
  paid_out: amount('the amount paid to the merchant'),
  closing: amount('the balance after the day'),
  payout_reference: text('the bank’s reference of the payment of `paid_out`'),
  company_id: HIERARCHY_COLUMNS.company_id,
  manager_id: HIERARCHY_COLUMNS.manager_id,
  reseller_id: HIERARCHY_COLUMNS.reseller_id,
} as const satisfies LedgerColumns

const NAME = id('the name')
const CURRENCY = id('the currency, ISO 4217')

/** The tables that transactions refer to. The first column is the id. */
const DIMENSIONS = {
  managers: { manager_id: id('the id'), name: NAME, superior_id: text('the manager above') },
  resellers: { reseller_id: id('the id'), name: NAME, manager_id: textOrEmpty('the manager') },
  companies: {
    company_id: id('the id'),
    name: NAME,
    country: textOrEmpty('the country, ISO 3166-1'),
  },
  merchants: {
    merchant_id: id('the id'),
    name: NAME,
    login: textOrEmpty('for information; `logins add` decides who sees what'),
    company_id: textOrEmpty('the legal entity'),
    manager_id: textOrEmpty('the manager'),
    reseller_id: text('the reseller'),
    timezone: textOrEmpty('the IANA time zone'),
    mcc: textOrEmpty('the merchant category code'),
  },
  projects: { project_id: id('the id'), name: NAME, merchant_id: id('the merchant') },
  processors: { processor_id: id('the id'), name: NAME },
  gates: {
    gate_id: id('the id'),
    name: NAME,
    processor_id: textOrEmpty('the processor'),
    currency: CURRENCY,
  },
  endpoints: {
    endpoint_id: id('the id'),
    name: NAME,
    project_id: textOrEmpty('the project'),
    gate_id: textOrEmpty('the gate'),
    currency: CURRENCY,
  },
  currencies: {
    currency: CURRENCY,
    exponent: columnOf('UInt8')('fraction digits of amounts, 3 at most'),
  },
} as const satisfies Record<string, LedgerColumns>

/** Every table that reports may read and that an import fills. */
export const LEDGER_TABLES = {
  transactions: TRANSACTION_COLUMNS,
  statements: STATEMENT_COLUMNS,
  ...DIMENSIONS,
} as const satisfies Record<string, LedgerColumns>

const LOADED_AT: LedgerColumn = {
  type: INSTANT,
  about: 'when the ledger received this version; no import has this column',
  default: 'now64(3)',
}

/** Returns the columns of a table, with those that the ledger fills itself. An import neither reads nor compares them. */
export function storedColumns(table: LedgerTable): LedgerColumns {
  return { ...LEDGER_TABLES[table], ...(table === 'transactions' && { loaded_at: LOADED_AT }) }
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
