import type { Engine } from '../engine/engine.ts'
import { createLedger, reloadNames } from './schema.ts'

/** What the demo ledger is made of. */
export interface DemoLedgerOptions {
  /** Transactions, over 24 months. */
  readonly rows: number
  readonly onProgress?: (rowsDone: number) => void
}

const MONTHS = 24
const FIRST_MONTH = '2024-11-01'

const CURRENCIES = 'EUR:2 USD:2 GBP:2 PLN:2 TRY:2 BRL:2 INR:2 JPY:0 KZT:2 KWD:3'.split(' ')

/** Texts that break a careless CSV writer or reader; one transaction in 64 has one for its description. */
const HARD_TEXTS = [
  'Shoes, black; size 42',
  'The "blue" one',
  'two\r\nlines',
  'a lone \r and a lone \n',
  'tab\there',
  '=SUM(A1:A9)',
  '+49 30 1234',
  '-5.00',
  '@home',
  'Заказ №1: 50% скидка',
  'ทดสอบ 😀',
  'مرحبا שלום',
  'e\u0301 is not é',
  '0012345678901234567',
  '9223372036854775807',
  'NULL',
  '\\N',
  '',
]

/** How many of each there are; they grow with the square root of the rows. */
interface Entities {
  readonly merchants: number
  readonly projects: number
  readonly endpoints: number
  readonly gates: number
  readonly processors: number
  readonly companies: number
  readonly managers: number
  readonly resellers: number
}

/**
 * Makes a ledger of demo transactions: the same for the same number of rows, made by the engine alone.
 * A month is inserted at a time, so that every partition is one part.
 */
export async function fillDemoLedger(engine: Engine, options: DemoLedgerOptions): Promise<void> {
  const entities = countEntities(options.rows)
  await createLedger(engine)
  for (const statement of dimensionInserts(entities)) await engine.execute(statement)
  const columns = transactionColumns(entities)
  for (let month = 0; month < MONTHS; month += 1) {
    const first = Math.floor((options.rows * month) / MONTHS)
    const next = Math.floor((options.rows * (month + 1)) / MONTHS)
    await engine.execute(insertMonth(columns, first, next), { month, hardTexts: HARD_TEXTS })
    options.onProgress?.(next)
  }
  await reloadNames(engine)
}

function countEntities(rows: number): Entities {
  const scaled = (atTenMillion: number): number => {
    return Math.max(2, Math.round(atTenMillion * Math.sqrt(rows / 10_000_000)))
  }
  const projects = scaled(1_600)
  return {
    merchants: scaled(1_000),
    projects,
    endpoints: 2 * projects,
    gates: scaled(120),
    processors: scaled(25),
    companies: scaled(600),
    managers: scaled(12),
    resellers: scaled(40),
  }
}

// Who belongs to whom, by arithmetic on the ids: an endpoint's project, a project's merchant, and so on.
const currencyOfGate = (gate: string): string => {
  const codes = CURRENCIES.map((currency) => `'${currency.slice(0, 3)}'`)
  return `[${codes.join(', ')}][1 + ${gate} % ${codes.length}]`
}
const projectOfEndpoint = (entities: Entities, endpoint: string): string => {
  return `1 + (${endpoint} - 1) % ${entities.projects}`
}
const merchantOfProject = (entities: Entities, project: string): string => {
  return `1 + (${project} - 1) % ${entities.merchants}`
}
const gateOfEndpoint = (entities: Entities, endpoint: string): string => {
  return `1 + (${endpoint} * 7) % ${entities.gates}`
}
const processorOfGate = (entities: Entities, gate: string): string => {
  return `1 + ${gate} % ${entities.processors}`
}
const companyOfMerchant = (entities: Entities, merchant: string): string => {
  return `1 + ${merchant} % ${entities.companies}`
}
const managerOfMerchant = (entities: Entities, merchant: string): string => {
  return `1 + ${merchant} % ${entities.managers}`
}
const resellerOfMerchant = (entities: Entities, merchant: string): string => {
  return `if(${merchant} % 3 = 0, NULL, 1 + ${merchant} % ${entities.resellers})`
}

function dimensionInserts(entities: Entities): readonly string[] {
  const id = 'toInt32(number + 1)'
  const named = (noun: string): string => `concat('${noun} ', toString(number + 1))`
  const insert = (table: string, count: number, columns: string): string => {
    return `INSERT INTO ${table} SELECT ${columns} FROM numbers(${count})`
  }
  const gate = `(${gateOfEndpoint(entities, id)})`
  return [
    ...CURRENCIES.map((currency) => {
      return `INSERT INTO currencies VALUES ('${currency.slice(0, 3)}', ${currency.slice(4)})`
    }),
    insert('managers', entities.managers, `${id}, ${named('Manager')}, 1 + number % 3`),
    insert(
      'resellers',
      entities.resellers,
      `${id}, ${named('Reseller')}, 1 + number % ${entities.managers}`,
    ),
    insert(
      'companies',
      entities.companies,
      `${id}, ${named('Company')}, ['DE', 'FR', 'PL'][1 + number % 3]`,
    ),
    insert(
      'merchants',
      entities.merchants,
      `${id}, concat('Shop ', toString(number + 1), if(number % 5 = 0, ', Ltd', '')),
      concat('shop-', toString(number + 1)), ${companyOfMerchant(entities, id)},
      ${managerOfMerchant(entities, id)}, ${resellerOfMerchant(entities, id)}, 'UTC', '5999'`,
    ),
    insert(
      'projects',
      entities.projects,
      `${id}, ${named('Project')}, ${merchantOfProject(entities, id)}`,
    ),
    insert('processors', entities.processors, `${id}, ${named('Processor')}`),
    insert(
      'gates',
      entities.gates,
      `${id}, ${named('Gate')}, ${processorOfGate(entities, id)}, ${currencyOfGate(id)}`,
    ),
    insert(
      'endpoints',
      entities.endpoints,
      `${id}, ${named('Endpoint')}, ${projectOfEndpoint(entities, id)}, ${gate}, ${currencyOfGate(gate)}`,
    ),
  ]
}

/** Column → expression over `n`, the row's number, and h1 … h6, independent hashes of it. */
function transactionColumns(entities: Entities): ReadonlyMap<string, string> {
  const merchantsOwnProjects = `toUInt32(ceil((${entities.projects} - merchant_id + 1) / ${entities.merchants}))`
  const paid = "status = 'approved'"
  return new Map([
    ['transaction_id', '1000000000000000000 + n'],
    ['order_id', '700000000 + n'],
    // A few merchants have most of the volume.
    ['merchant_id', `toInt32(floor(pow(${entities.merchants + 1}, (h1 % 1000000) / 1000000)))`],
    ['project_id', `toInt32(merchant_id + ${entities.merchants} * (h2 % ${merchantsOwnProjects}))`],
    ['endpoint_id', `toInt32(project_id + ${entities.projects} * (h3 % 2))`],
    ['gate_id', `toInt32(${gateOfEndpoint(entities, 'endpoint_id')})`],
    ['processor_id', `toInt32(${processorOfGate(entities, 'gate_id')})`],
    ['company_id', `toInt32(${companyOfMerchant(entities, 'merchant_id')})`],
    ['manager_id', `toInt32(${managerOfMerchant(entities, 'merchant_id')})`],
    ['reseller_id', resellerOfMerchant(entities, 'merchant_id')],
    ['currency', currencyOfGate('gate_id')],
    ['client_order_id', "concat('ORD-', leftPad(toString(n), 10, '0'))"],
    [
      'transaction_type',
      `multiIf(h2 % 1000 < 775, 'sale', h2 % 1000 < 845, 'payout', h2 % 1000 < 895, 'transfer',
      h2 % 1000 < 925, 'preauth', h2 % 1000 < 949, 'capture', h2 % 1000 < 975, 'reversal',
      h2 % 1000 < 985, 'account_verification', h2 % 1000 < 995, 'cancel', 'chargeback')`,
    ],
    [
      'status',
      `multiIf(h3 % 1000 < 748, 'approved', h3 % 1000 < 938, 'declined', h3 % 1000 < 983, 'filtered',
      h3 % 1000 < 998, 'error', 'unknown')`,
    ],
    ['created_at', 'month_start + toIntervalMillisecond(h4 % month_ms)'],
    ['processed_at', 'created_at + toIntervalSecond(1 + h5 % 20)'],
    ['bank_date', `if(${paid}, toDate32(created_at) + 1, NULL)`],
    ['settled_at', `if(${paid}, created_at + toIntervalDay(2), NULL)`],
    ['updated_at', 'processed_at'],
    ['row_version', '1'],
    [
      'amount',
      `multiIf(currency = 'JPY', toDecimal64(100 + h5 % 90000, 4),
      currency = 'KWD', toDecimal64(500 + h5 % 300000, 4) / 1000, toDecimal64(50 + h5 % 50000, 4) / 100)`,
    ],
    ['settlement_amount', `if(${paid}, amount, NULL)`],
    ['settlement_currency', `if(${paid}, currency, NULL)`],
    ['fx_rate', `if(${paid}, 1, NULL)`],
    ['payment_method', "'card'"],
    ['card_brand', "['ALPHA', 'BETA', 'GAMMA'][1 + h6 % 3]"],
    ['card_kind', "['debit', 'credit'][1 + h6 % 2]"],
    ['bin', 'toString(400000 + h6 % 99999)'],
    ['last4', "leftPad(toString(h6 % 10000), 4, '0')"],
    ['card_country', "['DE', 'FR', 'PL', 'GB'][1 + h6 % 4]"],
    ['issuer_bank', "['First Bank', 'Second Bank', 'Third Bank'][1 + h6 % 3]"],
    ['approval_code', `if(${paid}, leftPad(toString(h6 % 1000000), 6, '0'), NULL)`],
    ['rrn', "leftPad(toString(h6 % 1000000000000), 12, '0')"],
    ['processor_tx_id', 'lower(hex(h6))'],
    ['response_code', `if(${paid}, '00', '05')`],
    ['error_code', `if(${paid}, NULL, 5)`],
    ['error_message', `if(${paid}, NULL, 'Do not honour')`],
    ['customer_name', "concat('Customer ', toString(h6 % 100000))"],
    ['email', "concat('customer', toString(h6 % 100000), '@example.com')"],
    ['ip', "concat('192.0.2.', toString(h6 % 256))"],
    ['ip_country', 'card_country'],
    ['billing_country', 'card_country'],
    [
      'order_description',
      `if(h5 % 64 = 0, {hardTexts:Array(String)}[1 + h6 % length({hardTexts:Array(String)})],
      concat('Order ', client_order_id, ', paid online'))`,
    ],
    ['descriptor', "'SHOP ONLINE'"],
  ])
}

function insertMonth(columns: ReadonlyMap<string, string>, first: number, next: number): string {
  const hashes = [1, 2, 3, 4, 5, 6].map((slot) => `cityHash64(n, ${slot}) AS h${slot}`)
  return `INSERT INTO transactions (${[...columns.keys()].join(', ')})
WITH
  ${first} + number AS n, ${hashes.join(', ')},
  toDateTime64('${FIRST_MONTH} 00:00:00', 3, 'UTC') + toIntervalMonth({month:UInt8}) AS month_start,
  dateDiff('millisecond', month_start, month_start + toIntervalMonth(1)) AS month_ms
SELECT ${[...columns].map(([name, sql]) => `${sql} AS ${name}`).join(',\n')}
FROM numbers(${next - first})
SETTINGS max_insert_threads = 1, max_threads = 2, min_insert_block_size_rows = ${next - first + 1},
  max_insert_block_size = ${next - first + 1}, min_insert_block_size_bytes = 0`
}
