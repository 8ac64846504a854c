import type { Engine } from '../engine/engine.ts'
import { type EngineOptions, openHttpEngine } from '../http/http-engine.ts'
import { OwnServer, type OwnServerOptions } from './own-server.ts'

/** How the gateway runs queries on a ClickHouse server of its own. */
export interface OwnEngineOptions
  extends Omit<EngineOptions, 'servers' | 'ownFolder'>,
    Pick<OwnServerOptions, 'directory' | 'onCrash'> {}

/**
 * Starts a ClickHouse server of the gateway's own, which ends with the engine.
 *
 * @throws {GatewayError} `ledger` if another engine has the ledger open, or if the server does not start
 */
export async function openOwnEngine(options: OwnEngineOptions): Promise<Engine> {
  const { directory, onCrash, engineBytesMax: memoryMax, reportColumns } = options
  const server = await OwnServer.open({ directory, onCrash, memoryMax, reportColumns })
  return await openHttpEngine({ ...options, servers: [server], ownFolder: directory })
}
