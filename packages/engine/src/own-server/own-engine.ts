import type { Engine, ServerSource } from '../engine/engine.ts'
import { type EngineOptions, openHttpEngine } from '../http/http-engine.ts'
import { OwnServer, type OwnServerOptions } from './own-server.ts'

/** How the gateway runs queries on a ClickHouse server of its own. */
export interface OwnEngineOptions
  extends Omit<EngineOptions, 'servers' | 'ownFolder'>,
    Pick<OwnServerOptions, 'directory' | 'onCrash'> {}

interface Shared {
  readonly server: Promise<OwnServer>
  holders: number
}

/** The servers of this process, by folder. */
const shared = new Map<string, Shared>()

/**
 * Starts a ClickHouse server of the gateway's own, which ends with the engine. Engines of this process on one folder
 * share the server of the first one.
 *
 * @throws {GatewayError} `ledger` if another process has the ledger open, or if the server does not start
 */
export async function openOwnEngine(options: OwnEngineOptions): Promise<Engine> {
  const { directory, onCrash, engineBytesMax, reportColumns } = options
  const memoryMax = engineBytesMax
  const open = () => OwnServer.open({ directory, onCrash, memoryMax, reportColumns })
  const servers = [await holdServer(directory, open)]
  return await openHttpEngine({ ...options, servers, ownFolder: directory })
}

async function holdServer(
  directory: string,
  open: () => Promise<OwnServer>,
): Promise<ServerSource> {
  const own = shared.get(directory) ?? { server: open(), holders: 0 }
  shared.set(directory, own)
  own.holders += 1
  const release = (): boolean => {
    own.holders -= 1
    return own.holders === 0 && shared.delete(directory)
  }
  try {
    const { name, isOwn, address } = await own.server
    const close = async () => void (release() && (await (await own.server).close()))
    return { name, isOwn, address, close }
  } catch (error) {
    release()
    throw error
  }
}
