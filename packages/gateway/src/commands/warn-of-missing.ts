import { existsSync } from 'node:fs'
import { type Config, ledgerFolder } from '../config/config.ts'
import { GatewayError } from '@counterfoil/common'
import { formatIds } from '@counterfoil/protocol'
import type { Login } from '@counterfoil/store'
import { findMissing, type Missing, type SeenIds, seenIdsOf } from './find-missing.ts'
import { withLedger } from './with-ledger.ts'

/**
 * Looks up in the ledger the ids that a login sees. It asks the running gateway, if there is one. Otherwise this
 * process opens the ledger, which takes a quarter of a second.
 *
 * @returns a warning for ids without transactions, a warning for ids without a name, or a warning of a failed look-up
 */
export async function warnOfMissing(config: Config, login: Login): Promise<readonly string[]> {
  const seen = seenIdsOf(login)
  if (seen === undefined) return []
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
