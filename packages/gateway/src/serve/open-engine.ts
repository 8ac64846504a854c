import { type Config, ledgerFolder } from '../config/config.ts'
import { readServerLogin } from '../config/configured-files.ts'
import {
  type Engine,
  openHttpEngine,
  openOwnEngine,
  type ServerAddress,
  serverAt,
} from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import {
  dropUnusedNames,
  LedgerChanges,
  migrateLedger,
  recoverImports,
  REPORT_COLUMNS,
} from '@counterfoil/ledger'

/**
 * Opens the engine that a configuration describes, with the ledger's tables; an import that died is ended first.
 *
 * @param onStep called with each step of the start
 * @param onCrash called when the gateway's own server has ended by itself, with the reason
 */
export async function openEngine(
  config: Config,
  onStep: (step: string) => void = () => {},
  onCrash: (reason: string) => void = () => {},
): Promise<Engine> {
  const { cluster } = config.engine
  const directory = ledgerFolder(config)
  onStep(
    cluster
      ? `connecting to the ledger on ${cluster.urls.join(', ')}`
      : `opening the ledger in ${directory}`,
  )
  const engine = cluster
    ? await openHttpEngine({ ...optionsOf(config), servers: serversOf(cluster) })
    : await openOwnEngine({ ...optionsOf(config), directory, onCrash })
  try {
    // What an import has put aside fits the tables that it was made for.
    if (!cluster || cluster.urls.length === 1) {
      const isShared = cluster !== undefined
      await recoverImports({ engine, changes: new LedgerChanges(), isShared })
    }
    await migrateLedger(engine, () => onStep('migrating the ledger'))
    if (!cluster) await dropUnusedNames(engine)
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Opens the engine of a running gateway. `findServer` asks that gateway for its own server, if it has one. */
export async function connectEngine(
  config: Config,
  findServer: () => Promise<ServerAddress | undefined>,
): Promise<Engine> {
  const { cluster } = config.engine
  const own = await findServer()
  if (own) {
    // The server has another address after a crash.
    const address = async () => (await findServer()) ?? own
    const servers = [{ ...serverAt(own.url, own.login), address }]
    return await openHttpEngine({ ...optionsOf(config), servers, ownFolder: ledgerFolder(config) })
  }
  if (!cluster) throw new GatewayError('config', 'The gateway runs with another engine.cluster.')
  return await openHttpEngine({ ...optionsOf(config), servers: serversOf(cluster) })
}

/** Opens an engine for each server of `engine.cluster`. */
export async function openEachServer(config: Config): Promise<readonly Engine[]> {
  const { cluster } = config.engine
  const engines: Engine[] = []
  try {
    for (const server of cluster ? serversOf(cluster) : []) {
      const engine = await openHttpEngine({ ...optionsOf(config), servers: [server] })
      engines.push(engine)
      await migrateLedger(engine)
    }
    return engines
  } catch (error) {
    for (const engine of engines) await engine.close()
    throw error
  }
}

function serversOf(cluster: NonNullable<Config['engine']['cluster']>) {
  const login = readServerLogin(cluster)
  return cluster.urls.map((url) => serverAt(url, login))
}

function optionsOf({ engine: limits }: Config) {
  return {
    querySeconds: limits.querySeconds,
    queryBytesMax: limits.queryMemoryMax,
    engineBytesMax: limits.memoryMax,
    reportColumns: REPORT_COLUMNS,
  }
}

/** Refuses work that only the embedded engine can do. */
export function requireEmbeddedEngine({ engine }: Config): void {
  if (!engine.cluster) return
  const message = 'The ledger is on a ClickHouse server. This command needs the embedded engine.'
  throw new GatewayError('config', `${message} See docs/servers.md, "A ClickHouse server".`)
}

/** Refuses to change a ledger on several servers. */
export function requireOneServer({ engine: { cluster } }: Config): void {
  if (!cluster || cluster.urls.length === 1) return
  const message =
    'This command changes the ledger on one ClickHouse server, and engine.cluster lists several servers.'
  throw new GatewayError('config', `${message} See docs/own-data.md, "Into a ClickHouse server".`)
}
