import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { type Config, controlSocketFile } from '../config/config.ts'
import { askGateway } from '../control/ask-gateway.ts'
import { openEmbeddedEngine } from '../engine/embedded.ts'
import { GatewayError } from '../errors.ts'
import type { Consumer } from '../store/store.ts'
import { findMissing, type SeenIds, seenIdsOf } from './find-missing.ts'

/**
 * Looks up in the ledger what a login sees. A running gateway answers for its ledger; otherwise this process opens it,
 * which takes a quarter of a second.
 *
 * @returns a warning where an id is not in the ledger, or where nobody could look
 */
export async function warnOfMissing(
  config: Config,
  consumer: Consumer,
): Promise<string | undefined> {
  const seen = seenIdsOf(consumer)
  if (seen === undefined) return undefined
  const { role } = seen
  try {
    const missing = await lookUp(config, seen)
    if (missing.length === 0) return undefined
    const which = `${role}${missing.length > 1 ? 's' : ''} ${missing.join(', ')}`
    return `the ledger has no ${which} yet. Reports are empty for them until you import them.`
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return `the ids were not looked up in the ledger. ${error.message}`
  }
}

async function lookUp(config: Config, seen: SeenIds): Promise<readonly number[]> {
  const answer = await askGateway(controlSocketFile(config), 'find-missing', seen)
  if (answer?.ok === false) throw new GatewayError('control', answer.faults.join(' '))
  if (answer) return z.array(z.number()).parse(answer.result)
  const directory = join(config.dataDir, 'ledger')
  if (!existsSync(directory)) throw new GatewayError('ledger', `${directory} does not exist yet.`)
  const { memoryMax, queryMemoryMax } = config.engine
  const engine = openEmbeddedEngine({
    directory,
    sessions: 1,
    queueLength: 0,
    queueWaitMs: 1_000,
    querySeconds: 10,
    queryBytesMax: queryMemoryMax,
    engineBytesMax: memoryMax,
  })
  try {
    return await findMissing(engine, seen)
  } finally {
    await engine.close()
  }
}
