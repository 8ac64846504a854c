import { existsSync } from 'node:fs'
import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { ROLE_COLUMNS } from '@counterfoil/ledger'
import { type Config, ledgerFolder } from '../config/config.ts'
import { GatewayError } from '@counterfoil/common'
import { formatIds } from '@counterfoil/protocol'
import type { Login } from '@counterfoil/store'
import { withLedger } from './with-ledger.ts'

/** The ledger table for the ids of `--sees`, by role. */
const SEEN_TABLES = { merchant: 'merchants', reseller: 'resellers', manager: 'managers' } as const

/** The ids that a login of a role sees. */
interface SeenIds {
  readonly role: 'merchant' | 'reseller' | 'manager'
  readonly ids: readonly string[]
}

/** The ids that the ledger lacks. Each id is in at most one list. */
interface Missing {
  readonly withoutTransactions: readonly string[]
  /** Ids that have transactions but no name. */
  readonly withoutName: readonly string[]
}

const idRow = z.object({ id: z.string(), has_transactions: z.number(), has_name: z.number() })

/**
 * Looks up in the ledger the ids that a login sees. It asks the running gateway, if there is one. Otherwise this
 * process opens the ledger, which takes a quarter of a second.
 *
 * @returns a warning for ids without transactions, a warning for ids without a name, or a warning of a failed look-up
 */
export async function warnOfMissing(
  config: Config,
  { role, sees: ids }: Login,
): Promise<readonly string[]> {
  // An operator sees everything.
  if (role === 'operator') return []
  const seen = { role, ids }
  try {
    return describeMissing(await lookUp(config, seen), seen)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return [`Cannot look up the ids in the ledger. ${error.message}`]
  }
}

/** Describes in one or two sentences each what the ledger lacks. */
export function describeMissing(
  { withoutTransactions, withoutName }: Missing,
  { role }: Pick<SeenIds, 'role'>,
): readonly string[] {
  const which = (ids: readonly string[]) => `${role}${ids.length > 1 ? 's' : ''} ${formatIds(ids)}`
  const warnings: string[] = []
  if (withoutTransactions.length > 0) {
    warnings.push(`The ledger has no transactions of ${which(withoutTransactions)}.`)
  }
  if (withoutName.length > 0) {
    const [name, reports] =
      withoutName.length > 1 ? ['names', 'Their reports'] : ['name', 'Its reports']
    const effect = `${reports} leave the name empty.`
    warnings.push(`The ledger has no ${name} for ${which(withoutName)}. ${effect}`)
  }
  return warnings
}

async function lookUp(config: Config, seen: SeenIds): Promise<Missing> {
  if (!config.engine.cluster && !existsSync(ledgerFolder(config))) {
    throw new GatewayError('ledger', `${ledgerFolder(config)} does not exist yet.`)
  }
  return await withLedger(config, async ({ engine }) => await findMissing(engine, seen))
}

/** Finds the ids that have no transactions, or no name, in the ledger. */
export async function findMissing(engine: Queries, { role, ids }: SeenIds): Promise<Missing> {
  const column = ROLE_COLUMNS[role]
  const rows = await readRows(engine, idRow, {
    sql: `SELECT id,
      id IN (SELECT ${column} FROM transactions WHERE ${column} IN {ids:Array(String)}) AS has_transactions,
      id IN (SELECT ${column} FROM ${SEEN_TABLES[role]} FINAL) AS has_name
    FROM (SELECT arrayJoin({ids:Array(String)}) AS id) ORDER BY length(id), id`,
    parameters: { ids: [...ids] },
  })
  const idsOf = (chosen: typeof rows): string[] => chosen.map(({ id }) => id)
  return {
    withoutTransactions: idsOf(rows.filter((row) => !row.has_transactions)),
    withoutName: idsOf(rows.filter((row) => row.has_transactions && !row.has_name)),
  }
}
