import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { FILTER_NAMES } from '@counterfoil/protocol'
import { literals } from '../../../../engine/src/dialect/literals.ts'
import type { Engine } from '../../../../engine/src/engine/engine.ts'
import { RELOAD_NAMES } from '../../../../ledger/src/model/names.ts'
import { LEDGER_TABLES } from '../../../../ledger/src/model/model.ts'
import type { Role } from '../../../../common/src/roles.ts'
import { FILTERED_COLUMNS } from '../../kit/filtered-columns.ts'
import { isSeenBy } from '../../oracles/ledger-sql.ts'

/** A login that sees a part of the ledger. */
export interface Viewer {
  readonly role: Exclude<Role, 'operator'>
  readonly sees: readonly string[]
}

const TABLES = Object.keys(LEDGER_TABLES)

const OF_STATEMENTS = 'merchant company manager reseller project'.split(' ')

/** The owners whose names the rows of a table show. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  transactions: [...OF_STATEMENTS, 'endpoint', 'gate', 'processor'],
  statements: OF_STATEMENTS,
}

/**
 * Exports a viewer's part of a ledger to files, without the product's own SQL. The part holds all versions of each
 * transaction whose latest version has the viewer's ids, and the rows of all other tables that join to the viewer's
 * endpoints.
 */
export async function exportOwn(engine: Engine, viewer: Viewer, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const own = isSeenBy(viewer)
  const latest = `SELECT transaction_id FROM transactions GROUP BY transaction_id
    HAVING argMax(tuple(${viewer.role}_id), row_version).1 IN ${literals(viewer.sees)}`
  const endpoints = `
    SELECT m.merchant_id AS merchant_id, m.company_id AS company_id, m.manager_id AS manager_id,
      m.reseller_id AS reseller_id, p.project_id AS project_id, e.endpoint_id AS endpoint_id,
      e.gate_id AS gate_id, e.currency AS currency, g.processor_id AS processor_id
    FROM merchants AS m
    LEFT JOIN projects AS p ON p.merchant_id = m.merchant_id
    LEFT JOIN endpoints AS e ON e.project_id = p.project_id
    LEFT JOIN gates AS g ON g.gate_id = e.gate_id
    WHERE m.${own}`
  const conditions: Record<string, string> = {
    transactions: `transaction_id IN (${latest})`,
    statements: own,
  }
  for (const name of FILTER_NAMES) {
    const id = FILTERED_COLUMNS[name]
    conditions[name] = `${id} IN (SELECT ${id} FROM (${endpoints}))`
  }
  for (const table of TABLES) {
    const columns = ['*', ...(NAMES[table] ?? []).map((name) => `${name}_name`)].join(', ')
    await engine.execute(
      `INSERT INTO FUNCTION file({file:String}, 'Native') SELECT ${columns} FROM ${table} WHERE ${conditions[table]}
      SETTINGS join_use_nulls = 1`,
      { file: fileOf(folder, table) },
    )
  }
}

/**
 * Imports the exported part into an empty ledger. The names that a transaction shows may belong to an earlier merchant
 * or manager, whose rows are not exported. Therefore the names are stored in the rows here.
 */
export async function importOwn(engine: Engine, folder: string): Promise<void> {
  for (const [table, names] of Object.entries(NAMES)) {
    const dropped = names.map((name) => `DROP COLUMN ${name}_name`)
    const added = names.map((name) => `ADD COLUMN ${name}_name Nullable(String)`)
    await engine.execute(`ALTER TABLE ${table} ${dropped.join(', ')}`)
    await engine.execute(`ALTER TABLE ${table} ${added.join(', ')}`)
  }
  // A new ledger has every currency of ISO 4217. The exported part has those of its rows.
  await engine.execute('TRUNCATE TABLE currencies')
  for (const table of TABLES) {
    await engine.execute(`INSERT INTO ${table} SELECT * FROM file({file:String}, 'Native')`, {
      file: fileOf(folder, table),
    })
  }
  await engine.execute(RELOAD_NAMES)
}

function fileOf(folder: string, table: string): string {
  return join(folder, `${table}.native`)
}
