import type { Engine } from '../engine/engine.ts'

// One row a transaction; a transaction that changes comes again with a higher `row_version`. The columns of the key
// never change for a transaction: one that moved to another month would count twice. There is no column for a PAN
// or a CVV, and there never will be. The settings keep a merchant's day small to read (2,048 rows at the least) and
// a large report small in memory (a column of a part is unpacked 128 KiB at a time).
const TRANSACTIONS = `
CREATE TABLE IF NOT EXISTS transactions (
  transaction_id Int64,
  order_id Int64,
  original_transaction_id Nullable(Int64),
  client_order_id String,
  transaction_type LowCardinality(String),
  status LowCardinality(String),
  created_at DateTime64(3, 'UTC'),
  processed_at Nullable(DateTime64(3, 'UTC')),
  bank_date Nullable(Date32),
  settled_at Nullable(DateTime64(3, 'UTC')),
  updated_at DateTime64(3, 'UTC'),
  row_version Int64,
  amount Decimal(20, 4),
  currency LowCardinality(String),
  settlement_amount Nullable(Decimal(20, 4)),
  settlement_currency LowCardinality(Nullable(String)),
  fx_rate Nullable(Decimal(18, 8)),
  gateway_fee Nullable(Decimal(20, 4)),
  processor_fee Nullable(Decimal(20, 4)),
  interchange_fee Nullable(Decimal(20, 4)),
  scheme_fee Nullable(Decimal(20, 4)),
  reseller_commission Nullable(Decimal(20, 4)),
  manager_commission Nullable(Decimal(20, 4)),
  reserve_amount Nullable(Decimal(20, 4)),
  reserve_release Nullable(Date32),
  net_amount Nullable(Decimal(20, 4)),
  tariff_id Nullable(Int32),
  statement_id Nullable(Int64),
  gate_id Int32,
  company_id Int32,
  project_id Int32,
  endpoint_id Int32,
  merchant_id Int32,
  processor_id Int32,
  manager_id Int32,
  reseller_id Nullable(Int32),
  payment_method LowCardinality(Nullable(String)),
  card_brand LowCardinality(Nullable(String)),
  card_kind LowCardinality(Nullable(String)),
  bin Nullable(String),
  last4 Nullable(String),
  card_country LowCardinality(Nullable(String)),
  issuer_bank LowCardinality(Nullable(String)),
  card_holder Nullable(String),
  card_ref_id Nullable(Int64),
  dest_bin Nullable(String),
  dest_last4 Nullable(String),
  dest_bank LowCardinality(Nullable(String)),
  dest_account_mask Nullable(String),
  approval_code Nullable(String),
  rrn Nullable(String),
  arn Nullable(String),
  processor_tx_id Nullable(String),
  three_ds LowCardinality(Nullable(String)),
  eci LowCardinality(Nullable(String)),
  response_code LowCardinality(Nullable(String)),
  error_code Nullable(Int32),
  error_message LowCardinality(Nullable(String)),
  decline_group LowCardinality(Nullable(String)),
  filter_rule LowCardinality(Nullable(String)),
  reason_code LowCardinality(Nullable(String)),
  dispute_stage LowCardinality(Nullable(String)),
  dispute_due Nullable(Date32),
  customer_name Nullable(String),
  email Nullable(String),
  phone Nullable(String),
  ip Nullable(String),
  ip_country LowCardinality(Nullable(String)),
  billing_country LowCardinality(Nullable(String)),
  order_description Nullable(String),
  purpose Nullable(String),
  descriptor LowCardinality(Nullable(String)),
  merchant_data Nullable(String),
  INDEX managers manager_id TYPE set(256) GRANULARITY 1,
  INDEX resellers reseller_id TYPE set(256) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(row_version)
PARTITION BY toYYYYMM(created_at)
ORDER BY (merchant_id, created_at, transaction_id)
SETTINGS index_granularity = 2048, min_compress_block_size = 65536, max_compress_block_size = 131072`

// Immutable; made after the transactions that they settle.
const STATEMENTS = `
CREATE TABLE IF NOT EXISTS statements (
  statement_id Int64,
  merchant_id Int32,
  project_id Int32,
  currency LowCardinality(String),
  business_day Date32,
  opening Decimal(20, 4),
  payable Decimal(20, 4),
  paid_out Decimal(20, 4),
  closing Decimal(20, 4)
)
ENGINE = ReplacingMergeTree
ORDER BY (merchant_id, business_day, statement_id)`

const CURRENCIES = `
CREATE TABLE IF NOT EXISTS currencies (currency String, exponent UInt8)
ENGINE = ReplacingMergeTree
ORDER BY currency`

/** The tables of what transactions belong to: table → its id, and its columns beside id and name. */
const DIMENSIONS = {
  managers: { id: 'manager_id', columns: 'superior_id Nullable(Int32)' },
  resellers: { id: 'reseller_id', columns: 'manager_id Int32' },
  companies: { id: 'company_id', columns: 'country String' },
  merchants: {
    id: 'merchant_id',
    columns: `login String, company_id Int32, manager_id Int32, reseller_id Nullable(Int32),
  timezone String, mcc String`,
  },
  projects: { id: 'project_id', columns: 'merchant_id Int32' },
  processors: { id: 'processor_id', columns: '' },
  gates: { id: 'gate_id', columns: 'processor_id Int32, currency String' },
  endpoints: { id: 'endpoint_id', columns: 'project_id Int32, gate_id Int32, currency String' },
} as const

/** The name of the dictionary that gives the names of a dimension: `dictGet('merchant_names', 'name', merchant_id)`. */
function dictionaryOf(id: string): string {
  return id.replace(/_id$/, '_names')
}

function dimensionStatements(): readonly string[] {
  return Object.entries(DIMENSIONS).flatMap(([table, { id, columns }]) => [
    `CREATE TABLE IF NOT EXISTS ${table} (${[`${id} Int32`, 'name String', columns].filter(Boolean).join(', ')})
ENGINE = ReplacingMergeTree
ORDER BY ${id}`,
    // A name comes by dictionary, never by a join: a join makes the engine sort the whole report.
    `CREATE DICTIONARY IF NOT EXISTS ${dictionaryOf(id)} (${id} Int32, name String)
PRIMARY KEY ${id}
SOURCE(CLICKHOUSE(QUERY 'SELECT ${id}, name FROM default.${table} FINAL'))
LAYOUT(HASHED())
LIFETIME(MIN 60 MAX 120)`,
  ])
}

/**
 * Makes the ledger's tables and dictionaries where they are missing.
 * All instants are UTC; amounts are decimals of the currency's major unit.
 */
export async function createLedger(engine: Engine): Promise<void> {
  for (const sql of [TRANSACTIONS, STATEMENTS, CURRENCIES, ...dimensionStatements()]) {
    await engine.execute(sql)
  }
}

/** Makes the names that were changed visible at once. */
export async function reloadNames(engine: Engine): Promise<void> {
  for (const { id } of Object.values(DIMENSIONS)) {
    await engine.execute(`SYSTEM RELOAD DICTIONARY ${dictionaryOf(id)}`)
  }
}
