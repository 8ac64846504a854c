import { join } from 'node:path'
import { type Config, ledgerFolder } from './config/config.ts'
import { readServerLogin } from './config/read-server-login.ts'
import { openClusterEngine } from './engine/cluster.ts'
import { openEmbeddedEngine } from './engine/embedded.ts'
import type { Engine, Queries } from './engine/engine.ts'
import { GatewayError } from './errors.ts'
import { type ImportedLedger, recoverImports } from './import/imports.ts'
import { LedgerChanges } from './ledger/ledger-changes.ts'
import { migrateLedger } from './ledger/migrate-ledger.ts'
import { REPORT_TABLES } from './ledger/model.ts'

// An import inserts two pieces at a time, and asks how far they are.
const BACKGROUND_SESSIONS = 3

/**
 * Opens the engine that a configuration describes, with the ledger's tables; an import that died is ended first.
 *
 * @param onStep hears what begins now
 */
export async function openEngine(
  config: Config,
  onStep: (step: string) => void = () => {},
): Promise<Engine> {
  const engine = await openAny(config, onStep)
  try {
    // What an import has put aside fits the tables that it was made for. Nothing imports into a server.
    if (!config.engine.cluster) {
      await recoverImports(importedLedger(config, engine.background, new LedgerChanges()))
    }
    await migrateLedger(engine, () => onStep('migrating the ledger'))
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}

async function openAny(config: Config, onStep: (step: string) => void): Promise<Engine> {
  const { cluster, ...limits } = config.engine
  const options = {
    // One more than reports may take: the gateway's own queries never wait for a report's reader.
    sessions: limits.sessions + 1,
    backgroundSessions: BACKGROUND_SESSIONS,
    queueLength: limits.sessions + limits.queueLength,
    queueWaitMs: limits.queueWaitSeconds * 1000,
    querySeconds: limits.querySeconds,
    queryBytesMax: limits.queryMemoryMax,
    engineBytesMax: limits.memoryMax,
    reportTables: REPORT_TABLES,
  }
  if (cluster) {
    onStep(`connecting to the ledger on ${cluster.urls.join(', ')}`)
    const login = readServerLogin(cluster)
    return await openClusterEngine({ ...options, urls: cluster.urls, login })
  }
  const directory = ledgerFolder(config)
  onStep(`opening the ledger in ${directory}`)
  return await openEmbeddedEngine({ ...options, directory })
}

/**
 * Refuses work that only the embedded engine can do.
 *
 * @throws {GatewayError} `config` if the ledger is on a server
 */
export function requireEmbeddedEngine({ engine }: Config): void {
  if (!engine.cluster) return
  const message = 'The ledger is on a ClickHouse server. Insert the rows there.'
  throw new GatewayError('config', `${message} See docs/operations.md, "A ClickHouse server".`)
}

/** Returns the ledger that imports change. */
export function importedLedger(
  config: Config,
  engine: Queries,
  changes: LedgerChanges,
): ImportedLedger {
  const { querySeconds } = config.engine
  return { engine, changes, querySeconds, folder: importFolderOf(config) }
}

/** Where an import keeps its temporary files. */
export function importFolderOf({ dataDir }: Config): string {
  return join(dataDir, 'import')
}
