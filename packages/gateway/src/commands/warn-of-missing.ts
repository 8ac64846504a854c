import { existsSync } from 'node:fs'
import * as z from 'zod'
import { GatewayError } from '@counterfoil/common'
import { type Queries, readRows } from '@counterfoil/engine'
import { ROLE_COLUMNS } from '@counterfoil/ledger'
import { formatIds } from '@counterfoil/protocol'
import type { Login } from '@counterfoil/store'
import { type Config, ledgerFolder } from '../config/config.ts'
import { withLedger } from './with-ledger.ts'

/** The ledger table for the ids of `--sees`, by role. */
const SEEN_TABLES = { merchant: 'merchants', reseller: 'resellers', manager: 'managers' } as const

/** What a login sees. */
export type View = Pick<Login, 'role' | 'sees'>

/** Says what a login sees. */
export function describeView({ role, sees }: View): string {
  if (role === 'operator') return 'everything'
  return `${role}${sees.length > 1 ? 's' : ''} ${formatIds(sees)}`
}

const idRow = z.object({ id: z.string(), has_transactions: z.number(), has_name: z.number() })

/**
 * Looks up in the ledger the ids that a login sees. It asks the running gateway, if there is one. Otherwise this
 * process opens the ledger, which takes a quarter of a second.
 *
 * @returns a warning for ids without transactions, a warning for ids without a name, or a warning of a failed look-up
 */
export async function warnOfMissing(config: Config, view: View): Promise<readonly string[]> {
  // An operator sees everything.
  if (view.role === 'operator') return []
  try {
    if (!config.engine.cluster && !existsSync(ledgerFolder(config))) {
      throw new GatewayError('ledger', `${ledgerFolder(config)} does not exist yet.`)
    }
    return await withLedger(config, async ({ engine }) => await findMissing(engine, view))
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return [`Cannot look up the ids in the ledger. ${error.message}`]
  }
}

/** Finds the ids that have no transactions, or no name, in the ledger, and describes them. */
export async function findMissing(
  engine: Queries,
  { role, sees }: View,
): Promise<readonly string[]> {
  if (role === 'operator') return []
  const column = ROLE_COLUMNS[role]
  const rows = await readRows(engine, idRow, {
    sql: `SELECT id,
      id IN (SELECT ${column} FROM transactions WHERE ${column} IN {ids:Array(String)}) AS has_transactions,
      id IN (SELECT ${column} FROM ${SEEN_TABLES[role]} FINAL) AS has_name
    FROM (SELECT arrayJoin({ids:Array(String)}) AS id) ORDER BY length(id), id`,
    parameters: { ids: [...sees] },
  })
  const describe = (start: string, lacking: typeof rows, end: string): readonly string[] => {
    const which = describeView({ role, sees: lacking.map(({ id }) => id) })
    return lacking.length === 0 ? [] : [`The ledger has no ${start} ${which}.${end}`]
  }
  const known = rows.filter((row) => row.has_transactions)
  const unknown = rows.filter((row) => !row.has_transactions)
  const nameless = known.filter((row) => !row.has_name)
  return [
    ...describe('transactions of', unknown, ''),
    ...describe('name for', nameless, ' Reports leave the name empty.'),
  ]
}
