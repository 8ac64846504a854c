import { literals } from '@counterfoil/engine'
import { LEDGER_TABLES, type LedgerTable, TRANSACTION_COLUMNS } from '@counterfoil/ledger'
import { type Calendar, type DayRange, DAYS, FIRST_DAY_NUMBER } from './calendar.ts'
import { CARD_COLUMNS } from './card-columns.ts'
import {
  CATEGORIES,
  categoryOf,
  codeOf,
  CURRENCIES,
  CURRENCY_PLACES,
  currencyDraw,
  endpointOf,
  type Entities,
  hierarchyOf,
  ZONES,
  zoneOf,
} from './entities.ts'
import { MONEY_COLUMNS } from './money-columns.ts'
import {
  ORDER_COLUMNS,
  partyColumns,
  STATEMENT_ID,
  statementId,
  TIME_COLUMNS,
} from './order-columns.ts'
import { OUTCOME_COLUMNS } from './outcome-columns.ts'
import { NUMBER_COLUMNS, selectNumbers } from './select-numbers.ts'
import { type Columns, pick, pluck, selectLayered } from './sql.ts'

const COUNTRIES = ['DE', 'FR', 'PL', 'GB', 'TR', 'BR', 'IN', 'JP', 'KZ']

/** The statements that fill the tables of entities. */
export function insertEntities(entities: Entities): readonly string[] {
  const hierarchy = hierarchyOf(entities)
  const gates = entities.gates.reduce((sum, count) => sum + count, 0)
  const reseller = hierarchy.resellerOf('id')
  const isLarge = `${hierarchy.merchantOfProject('project')} <= ${entities.largeMerchants}`
  const all = `[${CURRENCIES.map((_, place) => place).join(', ')}]`
  const currencies = `if(${isLarge}, ${all}, [${pick(CURRENCY_PLACES, currencyDraw('project'))}])`
  const endpoints = `SELECT number + 1 AS project, arrayJoin(${currencies}) AS currency
    FROM numbers(${entities.projects})`
  return [
    `${into('currencies')} VALUES ${CURRENCIES.map(({ code, exponent }) => `('${code}', ${exponent})`).join(', ')}`,
    insert('managers', entities.managers, [
      "concat('Manager ', toString(id))",
      `${entities.managers + 1} + id % ${entities.superiors}`,
    ]),
    `${into('managers')} SELECT ${entities.managers} + number + 1, concat('Superior ', toString(number + 1)), NULL
    FROM numbers(${entities.superiors})`,
    insert('resellers', entities.resellers, [
      "concat('Reseller ', toString(id))",
      hierarchy.managerOfReseller('id'),
    ]),
    insert('companies', entities.companies, [
      "concat('Company ', toString(id), if(id % 4 = 0, ' & Söhne', ''))",
      pick(COUNTRIES, `id % ${COUNTRIES.length}`),
    ]),
    insert('merchants', entities.merchants, [
      `concat('Shop ', toString(id), multiIf(id % 5 = 1, ', Ltd', id % 7 = 3, ' "Outlet"', ''))`,
      "concat('shop-', toString(id))",
      hierarchy.companyOf('id'),
      hierarchy.managerOf('id', reseller),
      reseller,
      pluck(ZONES, 'name', zoneOf('id')),
      pluck(CATEGORIES, 'mcc', categoryOf('id')),
    ]),
    insert('projects', entities.projects, [
      "concat('Project ', toString(id))",
      hierarchy.merchantOfProject('id'),
    ]),
    insert('processors', entities.processors, ["concat('Processor ', toString(id))"]),
    insert('gates', gates, [
      `concat('Gate ', toString(id), ' ', ${codeOf(hierarchy.currencyOfGate('id'))})`,
      hierarchy.processorOf('id'),
      codeOf(hierarchy.currencyOfGate('id')),
    ]),
    `${into('endpoints')} SELECT ${endpointOf('project', 'currency')} AS id,
    concat('Endpoint ', toString(id)), project, ${hierarchy.gateOf('project', 'currency')}, ${codeOf('currency')}
    FROM (${endpoints})`,
  ]
}

/** Fills a table with ids from 1. The SQL of the other columns, in the model's order, uses `id`. */
function insert(table: LedgerTable, count: number, values: readonly string[]): string {
  return `${into(table)} SELECT toInt32(number + 1) AS id, ${values.join(', ')} FROM numbers(${count})`
}

function into(table: LedgerTable): string {
  return `INSERT INTO ${table} (${Object.keys(LEDGER_TABLES[table]).join(', ')})`
}

/**
 * The SQL that inserts the statements of some merchants. A day adds the net amounts of its transactions and the
 * reserves that it releases. The operator pays the balance, except for what later refunds and payouts will take, so no
 * balance is ever negative. An account that begins with more payouts than sales opens with a deposit.
 */
export function insertStatements(entities: Entities, merchants: readonly [number, number]): string {
  const hierarchy = hierarchyOf(entities)
  const [first, end] = merchants
  const ids = Array.from({ length: end - first }, (_, at) => String(first + at))
  const mine = `(SELECT toInt64(statement_id) AS statement_id, toInt64(project_id) AS project_id, net_amount,
      reserve_amount, reserve_release
    FROM transactions WHERE merchant_id IN ${literals(ids)} AND isNotNull(statement_id))`
  const releaseDay = `toInt64(reserve_release) - ${FIRST_DAY_NUMBER}`
  const parts = `
    SELECT statement_id AS id, net_amount AS part FROM ${mine}
    UNION ALL
    SELECT ${statementId(releaseDay, 'project_id', `statement_id % ${STATEMENT_ID.project}`)}, reserve_amount
    FROM ${mine} WHERE ${releaseDay} < ${DAYS}`
  const days = `SELECT assumeNotNull(id) AS statement_id, sum(assumeNotNull(part)) AS payable FROM (${parts}) GROUP BY id`
  // For each project and currency: the sum so far, and the least sum from this day on. The operator pays up to it.
  const series = `PARTITION BY statement_id % ${STATEMENT_ID.day} ORDER BY statement_id`
  const sums = `SELECT *, sum(payable) OVER (${series}) AS total FROM (${days})`
  const least = `
    SELECT *,
      -least(0, min(total) OVER (PARTITION BY statement_id % ${STATEMENT_ID.day})) AS deposit,
      deposit + min(total) OVER (${series} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS paid
    FROM (${sums})`
  const paid = `
    SELECT *, sum(paid) OVER (${series} ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS paid_before FROM (${least})`
  const made: Columns = {
    statement_id: 'statement_id',
    project_id: `intDiv(statement_id % ${STATEMENT_ID.day}, ${STATEMENT_ID.project})`,
    merchant_id: hierarchy.merchantOfProject('project_id'),
    currency: codeOf(`statement_id % ${STATEMENT_ID.project}`),
    business_day: `toDate32(${FIRST_DAY_NUMBER} + intDiv(statement_id, ${STATEMENT_ID.day}))`,
    opening: 'deposit + total - payable - paid_before',
    payable: 'payable',
    paid_out: 'paid - paid_before',
    closing: 'deposit + total - paid',
    company_id: hierarchy.companyOf('merchant_id'),
    reseller_id: hierarchy.resellerOf('merchant_id'),
    manager_id: hierarchy.managerOn(
      'merchant_id',
      'reseller_id',
      `intDiv(statement_id, ${STATEMENT_ID.day})`,
    ),
  }
  const columns = Object.entries(made).map(([name, sql]) => `${sql} AS ${name}`)
  return `INSERT INTO statements (${Object.keys(made).join(', ')})
    SELECT ${columns.join(',\n')} FROM (${paid})`
}

// The rows arrive as one block, which the engine sorts and writes once: one part a partition. Each row is another
// transaction, so the engine need not look for versions. Merging the queries would bring back the long names that
// `selectLayered` avoids.
const SETTINGS = `max_insert_threads = 1, min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0,
  optimize_on_insert = 0, query_plan_merge_expressions = 0`

/**
 * The statement that inserts the transactions of some days. It uses only their numbers and `{seed:UInt64}`, in whole
 * numbers, so days can be made in any order and on any machine.
 */
export function insertTransactions(
  table: string,
  calendar: Calendar,
  entities: Entities,
  days: DayRange,
): string {
  const made = {
    ...partyColumns(entities),
    ...TIME_COLUMNS,
    ...OUTCOME_COLUMNS,
    ...CARD_COLUMNS,
    ...MONEY_COLUMNS,
    ...ORDER_COLUMNS,
  }
  const columns = Object.keys(TRANSACTION_COLUMNS)
  const rows = selectLayered(selectNumbers(calendar, days), NUMBER_COLUMNS, made, columns)
  return `INSERT INTO ${table} (${columns.join(', ')})
    SELECT ${columns.join(', ')} FROM (${rows}) SETTINGS ${SETTINGS}`
}
