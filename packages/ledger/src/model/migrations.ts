import { ISO_4217 } from '@counterfoil/protocol'
import { literal } from '@counterfoil/engine'
import {
  createDictionary,
  dictionaryOf,
  NAME_COLUMNS,
  NAMED_IDS,
  type NamedTable,
  nameColumn,
} from './names.ts'

// The import that wrote a row. Reports do not see it: `*` has no materialized column.
const IMPORT_ID = 'import_id UInt32 MATERIALIZED 0'

// The engine keeps the smallest and largest value of each date for every day of creation, and reads these days instead
// of the rows.
const DATES = ['processed_at', 'bank_date', 'settled_at']

// Reports that do not filter by the key. Within a merchant these columns grow with `created_at`, so the smallest and
// largest value of a granule exclude most granules.
const RANGES = [...DATES, 'statement_id', 'transaction_id', 'reserve_release', 'loaded_at']

// One row is one version of a transaction. A changed transaction is written again with a higher `row_version`. The key
// columns of a transaction never change: a transaction in a second month would count twice. There is no column for a
// PAN or a CVV, and there never will be. The settings keep a merchant's day cheap to read (granules of 2,048 rows) and
// a large report small in memory (the engine decompresses 128 KiB of a column of a part at a time). A row that an
// operator inserts without a version replaces the row that it corrects.
const TRANSACTIONS = `
CREATE TABLE IF NOT EXISTS transactions (
  transaction_id String,
  order_id String,
  original_transaction_id Nullable(String),
  client_order_id String,
  transaction_type LowCardinality(String),
  status LowCardinality(String),
  created_at DateTime64(3, 'UTC'),
  processed_at Nullable(DateTime64(3, 'UTC')),
  bank_date Nullable(Date32),
  settled_at Nullable(DateTime64(3, 'UTC')),
  updated_at DateTime64(3, 'UTC'),
  row_version Int64 DEFAULT toUnixTimestamp64Milli(updated_at),
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
  tariff_id LowCardinality(Nullable(String)),
  statement_id Nullable(String),
  gate_id LowCardinality(String),
  company_id LowCardinality(String),
  project_id LowCardinality(String),
  endpoint_id LowCardinality(String),
  merchant_id LowCardinality(String),
  processor_id LowCardinality(String),
  manager_id LowCardinality(String),
  reseller_id LowCardinality(Nullable(String)),
  payment_method LowCardinality(Nullable(String)),
  card_brand LowCardinality(Nullable(String)),
  card_kind LowCardinality(Nullable(String)),
  bin Nullable(String),
  last4 Nullable(String),
  card_country LowCardinality(Nullable(String)),
  issuer_bank LowCardinality(Nullable(String)),
  card_holder Nullable(String),
  card_ref_id Nullable(String),
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
  ${nameColumns('transactions')},
  loaded_at DateTime64(3, 'UTC') DEFAULT now64(3),
  ${IMPORT_ID},
  INDEX managers manager_id TYPE set(256) GRANULARITY 1,
  INDEX resellers reseller_id TYPE set(256) GRANULARITY 1,
  ${RANGES.map((column) => `INDEX ${column}_range ${column} TYPE minmax GRANULARITY 1`).join(',\n  ')},
  PROJECTION dates_by_day (
    SELECT toDate32(created_at), ${DATES.map((column) => `min(${column}), max(${column})`).join(', ')}
    GROUP BY toDate32(created_at)
  )
)
ENGINE = ReplacingMergeTree(row_version)
PARTITION BY toYYYYMM(created_at)
ORDER BY (merchant_id, created_at, transaction_id)
SETTINGS index_granularity = 2048, min_compress_block_size = 65536, max_compress_block_size = 131072,
  deduplicate_merge_projection_mode = 'rebuild'`

// Rows never change. A statement is created after the transactions that it settles.
const STATEMENTS = `
CREATE TABLE IF NOT EXISTS statements (
  statement_id String,
  merchant_id LowCardinality(String),
  project_id LowCardinality(String),
  currency LowCardinality(String),
  business_day Date32,
  opening Decimal(20, 4),
  payable Decimal(20, 4),
  paid_out Decimal(20, 4),
  closing Decimal(20, 4),
  company_id LowCardinality(String),
  manager_id LowCardinality(String),
  reseller_id LowCardinality(Nullable(String)),
  ${nameColumns('statements')},
  ${IMPORT_ID},
  payout_reference Nullable(String)
)
ENGINE = ReplacingMergeTree
ORDER BY (merchant_id, business_day, statement_id)`

const CURRENCIES = `
CREATE TABLE IF NOT EXISTS currencies (currency String, exponent UInt8, ${IMPORT_ID})
ENGINE = ReplacingMergeTree
ORDER BY currency`

const MANAGERS = dimension('managers', 'superior_id Nullable(String)')
const RESELLERS = dimension('resellers', 'manager_id String')
const COMPANIES = dimension('companies', 'country String')
const MERCHANTS = dimension(
  'merchants',
  `login String, company_id String, manager_id String, reseller_id Nullable(String),
  timezone String, mcc String`,
)
const PROJECTS = dimension('projects', 'merchant_id String')
const PROCESSORS = dimension('processors', '')
const GATES = dimension('gates', 'processor_id String, currency String')
const ENDPOINTS = dimension('endpoints', 'project_id String, gate_id String, currency String')

/** A table of names, and the dictionary that reads it. */
function dimension(table: NamedTable, columns: string): readonly string[] {
  const id = NAMED_IDS[table]
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (${[`${id} String`, 'name String', columns, IMPORT_ID].filter(Boolean).join(', ')})
ENGINE = ReplacingMergeTree
ORDER BY ${id}`,
    createDictionary(table, dictionaryOf(table), 'LIFETIME(MIN 60 MAX 120)'),
  ]
}

/** The name columns beside the ids, such as `merchant_name`. Reports need no look-up of their own, and may have none. */
function nameColumns(table: keyof typeof NAME_COLUMNS): string {
  return NAME_COLUMNS[table].map((named) => nameColumn(named, dictionaryOf(named))).join(',\n  ')
}

const IMPORTS = `
CREATE TABLE IF NOT EXISTS ledger_imports (
  import_id UInt32,
  imported_at DateTime64(3, 'UTC'),
  ledger_table LowCardinality(String),
  source LowCardinality(String),
  files Array(String),
  taken UInt64,
  unchanged UInt64,
  older UInt64,
  refused UInt64,
  replaced UInt64,
  is_undone UInt8,
  is_forced UInt8
)
ENGINE = ReplacingMergeTree(is_undone)
ORDER BY import_id`

// What a sync saw of each row of a database, and the ids that the ledger got from it. A day is text: a row may have none.
const SYNCED_ROWS = `
CREATE TABLE IF NOT EXISTS synced_rows (
  source LowCardinality(String),
  day String,
  key String,
  hash UInt64,
  ids Array(String),
  synced_at DateTime64(3, 'UTC'),
  is_gone UInt8
)
ENGINE = ReplacingMergeTree(synced_at, is_gone)
ORDER BY (source, day, key)`

const SYNCS = `
CREATE TABLE IF NOT EXISTS ledger_syncs (
  source String,
  ledger_table LowCardinality(String),
  tried_at DateTime64(3, 'UTC'),
  synced_at Nullable(DateTime64(3, 'UTC')),
  definition String,
  newest_change String,
  taken UInt64,
  deleted UInt64,
  refused UInt64,
  error String
)
ENGINE = ReplacingMergeTree(tried_at)
ORDER BY source`

// The ledger's amounts have 4 fraction digits, and those of a report may have one more than their currency.
const CURRENCY_ROWS = ISO_4217.filter(({ exponent }) => exponent <= 3)
  .map(({ currency, exponent }) => `(${literal(currency)}, ${exponent})`)
  .join(', ')

/** Adds the currencies of ISO 4217 that the ledger does not have. */
const ISO_CURRENCIES = `INSERT INTO currencies
SELECT * FROM values('currency String, exponent UInt8', ${CURRENCY_ROWS})
WHERE currency NOT IN (SELECT currency FROM currencies)`

/**
 * The steps from an empty ledger to today's tables (`model.ts`). Each step is a list of idempotent statements, because
 * an interrupted step runs again. Never change a released step.
 */
export const LEDGER_MIGRATIONS: readonly (readonly string[])[] = [
  [
    ...[MANAGERS, RESELLERS, COMPANIES, MERCHANTS, PROJECTS, PROCESSORS, GATES, ENDPOINTS].flat(),
    TRANSACTIONS,
    STATEMENTS,
    CURRENCIES,
    IMPORTS,
    SYNCED_ROWS,
    SYNCS,
    ISO_CURRENCIES,
  ],
]
