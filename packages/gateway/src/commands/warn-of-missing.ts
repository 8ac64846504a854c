import { existsSync } from 'node:fs'
import { type Config, controlSocketFile, ledgerFolder } from '../config/config.ts'
import { askGateway } from '../control/ask-gateway.ts'
import { openEmbeddedEngine } from '../engine/embedded.ts'
import type { Engine } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import { openEngine } from '../open-engine.ts'
import type { Login } from '../store/store.ts'
import {
  findMissing,
  type Missing,
  missingSchema,
  type SeenIds,
  seenIdsOf,
} from './find-missing.ts'

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
  const which = (ids: readonly number[]) => `${role}${ids.length > 1 ? 's' : ''} ${ids.join(', ')}`
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
  const answer = await askGateway(controlSocketFile(config), 'find-missing', seen)
  if (answer?.ok === false) throw new GatewayError('control', answer.faults.join(' '))
  if (answer) return missingSchema.parse(answer.result)
  const engine = await openQuickly(config)
  try {
    return await findMissing(engine, seen)
  } finally {
    await engine.close()
  }
}

async function openQuickly(config: Config): Promise<Engine> {
  if (config.engine.cluster) return await openEngine(config)
  const directory = ledgerFolder(config)
  if (!existsSync(directory)) throw new GatewayError('ledger', `${directory} does not exist yet.`)
  const { memoryMax, queryMemoryMax } = config.engine
  return await openEmbeddedEngine({
    directory,
    sessions: 1,
    queueLength: 0,
    queueWaitMs: 1_000,
    querySeconds: 10,
    queryBytesMax: queryMemoryMax,
    engineBytesMax: memoryMax,
    reportTables: [],
  })
}
