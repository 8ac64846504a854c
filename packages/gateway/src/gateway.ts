import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'

import { type Config, storeFile } from './config/config.ts'
import { openEmbeddedEngine } from './engine/embedded.ts'
import type { Engine } from './engine/engine.ts'
import { createHttpServer } from './http/server.ts'
import { createLedger } from './ledger/schema.ts'
import { GatewayError } from './errors.ts'
import type { Log } from './observe/log.ts'
import { checkMasterKeys, createKeyOpener } from './store/credentials.ts'
import { openMasterKeys } from './store/seal.ts'
import { openSqliteStore } from './store/sqlite-store.ts'
import { loadCatalogue } from './templates/load-templates.ts'

/** A gateway that serves. */
export interface Gateway {
  /** Where callers send their requests. */
  readonly endpoint: string
  readonly address: AddressInfo
  /** Lets running reports end within the configured time, ends what still runs, and closes everything. */
  close(): Promise<void>
}

/** What the gateway takes from around it. */
export interface Surroundings {
  readonly log: Log
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Opens the engine that a configuration describes, with the ledger's tables. */
export async function openEngine({ dataDir, engine: limits }: Config): Promise<Engine> {
  const engine = openEmbeddedEngine({
    directory: join(dataDir, 'ledger'),
    sessions: limits.sessions,
    queueLength: limits.queueLength,
    queueWaitMs: limits.queueWaitSeconds * 1000,
    querySeconds: limits.querySeconds,
    queryBytesMax: limits.queryMemoryMax,
    engineBytesMax: limits.memoryMax,
  })
  await createLedger(engine)
  return engine
}

/** Starts a gateway on an engine, which it owns from then on. The only place that ties the parts together. */
export async function startGateway(
  config: Config,
  engine: Engine,
  { log, environment }: Surroundings,
): Promise<Gateway> {
  const masterKeys = openMasterKeys(config.masterKeys, environment)
  const catalogue = await loadCatalogue(config.reports, engine)
  const store = openSqliteStore(storeFile(config))
  await checkMasterKeys(store, masterKeys)
  const server = createHttpServer({
    reportPath: config.reportPath,
    parts: {
      authenticator: {
        store,
        openKey: createKeyOpener(masterKeys),
        publicUrl: config.publicUrl,
        explains: config.environment === 'sandbox',
        foreignFingerprints: config.otherEnvironment.keyFingerprints,
        nowSeconds: () => Math.floor(Date.now() / 1000),
      },
      catalogue: () => catalogue,
      engine,
      now: Date.now,
    },
    log,
    ...(config.tls && { tls: readTls(config.tls) }),
  })
  const address = await server.listen(config.listen.host, config.listen.port)
  const endpoint = config.publicUrl + config.reportPath
  log.info(`listening on ${address.address}:${address.port} for ${endpoint}`)
  return {
    endpoint,
    address,
    close: async () => {
      await server.close(config.drainSeconds * 1000)
      await engine.close()
      await store.close()
    },
  }
}

function readTls(files: { readonly certificate: string; readonly key: string }) {
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      throw new GatewayError('config', `tls: expected a PEM file at ${file}`, { cause: error })
    }
  }
  const tls = { cert: read(files.certificate), key: read(files.key) }
  try {
    createSecureContext(tls)
    return tls
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const expected = `expected ${files.certificate} and ${files.key} to be a certificate and its key`
    throw new GatewayError('config', `tls: ${expected}: ${reason}`, { cause })
  }
}
