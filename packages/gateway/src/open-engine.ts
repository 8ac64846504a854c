import { join } from 'node:path'
import { type Config, ledgerFolder } from './config/config.ts'
import { openEmbeddedEngine } from './engine/embedded.ts'
import type { Engine } from './engine/engine.ts'
import { recoverImports } from './import/commit-import.ts'
import { migrateLedger } from './ledger/migrate-ledger.ts'
import { REPORT_TABLES } from './ledger/model.ts'

/**
 * Opens the engine that a configuration describes, with the ledger's tables; an import that died is ended first.
 *
 * @param onStep hears what begins now
 */
export async function openEngine(
  config: Config,
  onStep: (step: string) => void = () => {},
): Promise<Engine> {
  const { engine: limits } = config
  const directory = ledgerFolder(config)
  onStep(`opening the ledger in ${directory}`)
  const engine = await openEmbeddedEngine({
    directory,
    // One more than reports may take: the gateway's own queries never wait for a report's reader.
    sessions: limits.sessions + 1,
    queueLength: limits.sessions + limits.queueLength,
    queueWaitMs: limits.queueWaitSeconds * 1000,
    querySeconds: limits.querySeconds,
    queryBytesMax: limits.queryMemoryMax,
    engineBytesMax: limits.memoryMax,
    reportTables: REPORT_TABLES,
  })
  try {
    // What an import has put aside fits the tables that it was made for.
    await recoverImports(engine, importFolderOf(config))
    await migrateLedger(engine, () => onStep('migrating the ledger'))
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Where an import unpacks files. */
export function importFolderOf({ dataDir }: Config): string {
  return join(dataDir, 'import')
}
