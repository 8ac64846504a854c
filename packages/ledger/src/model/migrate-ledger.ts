import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import { LEDGER_MIGRATIONS } from './migrations.ts'

const VERSIONS = `
CREATE TABLE IF NOT EXISTS ledger_versions (version UInt32, migrated_at DateTime64(3, 'UTC'))
ENGINE = MergeTree
ORDER BY version`

const versionRow = z.object({ version: z.number() })

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
  const [row] = await readRows(engine, versionRow, {
    sql: 'SELECT max(version) AS version FROM ledger_versions',
    parameters: {},
  })
  const current = row?.version ?? 0
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
