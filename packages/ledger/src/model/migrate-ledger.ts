import * as z from 'zod'
import { ISO_4217 } from '@counterfoil/protocol'
import { literal, type Queries, readNumber, readRows } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import { isLedgerTable, LEDGER_TABLES, type LedgerTable, storedColumns } from './model.ts'
import { createDictionary, isNamedTable, nameColumns } from './names.ts'

const VERSIONS = `
CREATE TABLE IF NOT EXISTS ledger_versions (version UInt32, migrated_at DateTime64(3, 'UTC'))
ENGINE = MergeTree
ORDER BY version`

// The engine keeps the smallest and largest value of each date for every day of creation, and reads these days instead
// of the rows.
const DATES = ['processed_at', 'bank_date', 'settled_at']

// Reports that do not filter by the key. Within a merchant these columns grow with `created_at`, so the smallest and
// largest value of a granule exclude most granules.
const RANGES = [...DATES, 'statement_id', 'transaction_id', 'reserve_release', 'loaded_at']

const TRANSACTION_INDEXES = `
  INDEX managers manager_id TYPE set(256) GRANULARITY 1,
  INDEX resellers reseller_id TYPE set(256) GRANULARITY 1,
  ${RANGES.map((column) => `INDEX ${column}_range ${column} TYPE minmax GRANULARITY 1`).join(',\n  ')},
  PROJECTION dates_by_day (
    SELECT toDate32(created_at), ${DATES.map((column) => `min(${column}), max(${column})`).join(', ')}
    GROUP BY toDate32(created_at)
  )`

// One row is one version of a transaction. A changed transaction is written again with a higher `row_version`. The key
// columns of a transaction never change: a transaction in a second month would count twice. The settings keep a
// merchant's day cheap to read (granules of 2,048 rows) and a large report small in memory (the engine decompresses 128
// KiB of a column of a part at a time). A row that an operator inserts without a version replaces the row that it
// corrects.
const TRANSACTIONS_STORED = `
ENGINE = ReplacingMergeTree(row_version)
PARTITION BY toYYYYMM(created_at)
ORDER BY (merchant_id, created_at, transaction_id)
SETTINGS index_granularity = 2048, min_compress_block_size = 65536, max_compress_block_size = 131072,
  deduplicate_merge_projection_mode = 'rebuild'`

function createTable(table: LedgerTable): readonly string[] {
  const columns = storedColumns(table)
  const definitions = Object.entries(columns).map(([name, { type, default: value }]) => {
    return `${name} ${type}${value === undefined ? '' : ` DEFAULT ${value}`}`
  })
  // The name columns beside the ids, such as `merchant_name`. Reports need no look-up of their own, and may have none.
  definitions.push(...nameColumns(table))
  // The import that wrote a row. Reports do not see it: `*` has no materialized column.
  definitions.push('import_id UInt32 MATERIALIZED 0')
  if (table === 'transactions') definitions.push(TRANSACTION_INDEXES)
  // A statement never changes. It is created after the transactions that it settles.
  const [id] = Object.keys(columns)
  const key = table === 'statements' ? '(merchant_id, business_day, statement_id)' : id
  const stored =
    table === 'transactions' ? TRANSACTIONS_STORED : `ENGINE = ReplacingMergeTree ORDER BY ${key}`
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (\n  ${definitions.join(',\n  ')}\n) ${stored}`,
    ...(isNamedTable(table) ? [createDictionary(table)] : []),
  ]
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

const ISO_CURRENCIES = `INSERT INTO currencies
SELECT * FROM values('currency String, exponent UInt8', ${CURRENCY_ROWS})
WHERE currency NOT IN (SELECT currency FROM currencies)`

const TABLES = Object.keys(LEDGER_TABLES).filter(isLedgerTable)

/**
 * The steps from an empty ledger to today's tables. Each step is a list of idempotent statements, because an interrupted
 * step runs again. The first step creates the tables of today's model, so a later step adds a column `IF NOT EXISTS`.
 * Never change a released step.
 */
export const LEDGER_MIGRATIONS: readonly (readonly string[])[] = [
  [
    // A name column needs its dictionary.
    ...TABLES.filter((table) => isNamedTable(table)).flatMap(createTable),
    ...TABLES.filter((table) => !isNamedTable(table)).flatMap(createTable),
    IMPORTS,
    SYNCED_ROWS,
    SYNCS,
    ISO_CURRENCIES,
  ],
]

/**
 * Migrates a ledger from any version to today's tables, and records each step.
 *
 * @param onMigrate called before the first missing step
 * @throws {GatewayError} `ledger` if a newer gateway has migrated the ledger, because its tables differ
 */
export async function migrateLedger(
  engine: Queries,
  onMigrate: () => void = () => {},
): Promise<void> {
  await engine.execute(VERSIONS)
  const current = await readNumber(engine, 'SELECT max(version) AS value FROM ledger_versions')
  const newest = LEDGER_MIGRATIONS.length
  if (current > newest) {
    const message = `The ledger has version ${current}, of a newer gateway. This gateway reads versions up to ${newest}`
    throw new GatewayError('ledger', message)
  }
  if (current < newest) onMigrate()
  for (const [index, statements] of LEDGER_MIGRATIONS.entries()) {
    if (index < current) continue
    for (const statement of statements) await engine.execute(statement)
    const version = index + 1
    await engine.execute('INSERT INTO ledger_versions VALUES ({version:UInt32}, now64(3))', {
      version,
    })
  }
}

const idRow = z.object({ id: z.string() })

/** Reads the id of an embedded ledger: a random one, which the engine made with the table. Copies of a ledger share it. */
export async function readLedgerId(engine: Queries): Promise<string | undefined> {
  const sql = `SELECT right(toString(uuid), 12) AS id FROM system.tables
    WHERE database = currentDatabase() AND name = 'transactions'`
  return (await readRows(engine, idRow, sql))[0]?.id
}
