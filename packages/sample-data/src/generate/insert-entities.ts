import { LEDGER_TABLES, type LedgerTable } from '@counterfoil/ledger'
import { CURRENCIES } from './currencies.ts'
import {
  CATEGORIES,
  categoryOf,
  companyOf,
  currencyOfGate,
  currencyDraw,
  currencyPlaces,
  endpointOf,
  type Entities,
  gateOf,
  managerOf,
  managerOfReseller,
  merchantOfProject,
  processorOf,
  resellerOf,
  ZONES,
  zoneOf,
} from './entities.ts'
import { pick } from './sql.ts'

const COUNTRIES = ['DE', 'FR', 'PL', 'GB', 'TR', 'BR', 'IN', 'JP', 'KZ']

/** The statements that fill the tables of entities. */
export function insertEntities(entities: Entities): readonly string[] {
  const gates = entities.gates.reduce((sum, count) => sum + count, 0)
  const codeOf = (currency: string): string => {
    return pick(
      CURRENCIES.map(({ code }) => code),
      currency,
    )
  }
  const reseller = resellerOf(entities, 'id')
  const endpoints = `SELECT number + 1 AS project, arrayJoin(${placesOfProject(entities)}) AS currency
    FROM numbers(${entities.projects})`
  return [
    `${into('currencies')} VALUES ${CURRENCIES.map(({ code, exponent }) => `('${code}', ${exponent})`).join(', ')}`,
    insert('managers', entities.managers, [
      "concat('Manager ', toString(id))",
      superiorOf(entities),
    ]),
    `${into('managers')} SELECT ${entities.managers} + number + 1, concat('Superior ', toString(number + 1)), NULL
    FROM numbers(${entities.superiors})`,
    insert('resellers', entities.resellers, [
      "concat('Reseller ', toString(id))",
      managerOfReseller(entities, 'id'),
    ]),
    insert('companies', entities.companies, [
      "concat('Company ', toString(id), if(id % 4 = 0, ' & Söhne', ''))",
      pick(COUNTRIES, `id % ${COUNTRIES.length}`),
    ]),
    insert('merchants', entities.merchants, [
      `concat('Shop ', toString(id), multiIf(id % 5 = 1, ', Ltd', id % 7 = 3, ' "Outlet"', ''))`,
      "concat('shop-', toString(id))",
      companyOf(entities, 'id'),
      managerOf(entities, 'id', reseller),
      reseller,
      pick(
        ZONES.map(({ name }) => name),
        zoneOf('id'),
      ),
      pick(
        CATEGORIES.map(({ mcc }) => mcc),
        categoryOf('id'),
      ),
    ]),
    insert('projects', entities.projects, [
      "concat('Project ', toString(id))",
      merchantOfProject(entities, 'id'),
    ]),
    insert('processors', entities.processors, ["concat('Processor ', toString(id))"]),
    insert('gates', gates, [
      `concat('Gate ', toString(id), ' ', ${codeOf(currencyOfGate(entities, 'id'))})`,
      processorOf(entities, 'id'),
      codeOf(currencyOfGate(entities, 'id')),
    ]),
    `${into('endpoints')} SELECT ${endpointOf('project', 'currency')} AS id,
    concat('Endpoint ', toString(id)), project, ${gateOf(entities, 'project', 'currency')}, ${codeOf('currency')}
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

function superiorOf({ managers, superiors }: Entities): string {
  return `${managers + 1} + id % ${superiors}`
}

/** The currencies of a project, as an array of their indexes. */
function placesOfProject(entities: Entities): string {
  const isLarge = `${merchantOfProject(entities, 'project')} <= ${entities.largeMerchants}`
  const all = `[${CURRENCIES.map((_, place) => place).join(', ')}]`
  return `if(${isLarge}, ${all}, [${pick(currencyPlaces(), currencyDraw('project'))}])`
}
