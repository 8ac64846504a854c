import { type KeyObject, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Authenticator } from './authenticate/authenticate.ts'
import { type Config, ledgerFolder } from './config/config.ts'
import { readTls } from './config/read-tls.ts'
import { openEmbeddedEngine } from './engine/embedded.ts'
import type { Engine } from './engine/engine.ts'
import { type ConnectionLimits, connectionLimits } from './http/connections.ts'
import { readOpenFilesMax } from './http/open-files.ts'
import { createHttpServer } from './http/server.ts'
import { recoverImports } from './import/commit-import.ts'
import { REPORT_TABLES } from './ledger/model.ts'
import { migrateLedger } from './ledger/migrate-ledger.ts'
import { RequestEvents } from './observe/events.ts'
import type { Log } from './observe/log.ts'
import { logRequests } from './observe/log-requests.ts'
import { startRelay } from './payments/relay.ts'
import { createEndpoints } from './payments/endpoints.ts'
import type { OperationDependencies } from './payments/handle-operation.ts'
import { lastOrderNumber } from './payments/order.ts'
import { hostsOf, publicRepliesOf, signedPathsOf } from './paths.ts'
import { createLoader, createReload, type Reloaded } from './reload.ts'
import { Admission } from './report/admission.ts'
import type { CatalogueDependencies } from './report/handle-catalogue.ts'
import type { ReportDependencies } from './report/handle-report.ts'
import { LargeRequests } from './report/large-requests.ts'
import { NewestRows } from './report/newest-rows.ts'
import { checkMasterKeys, createKeyOpener, openLiveKeys } from './keys/credentials.ts'
import type { Outbox } from './store/outbox.ts'
import { deriveKey, openMasterKeys } from './keys/seal.ts'
import { openStore } from './store/open-store.ts'

/** A gateway that serves. */
export interface Gateway {
  /** The URL that callers send their requests for reports to. */
  readonly reportUrl: string
  readonly address: AddressInfo
  /**
   * Reads the report files and the TLS certificate again. Whichever of the two is broken stays as it was; the other one
   * is replaced. Running reports and connections are not disturbed.
   *
   * @throws `config` with a line for each fault, of report files and certificate together
   */
  reload(): Promise<Reloaded>
  /** Lets running reports end within the configured time, ends what still runs, and closes everything. */
  close(): Promise<void>
}

/** The dependencies of a gateway that its process provides. */
export interface GatewayDependencies {
  readonly log: Log
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** What the key is for that card numbers are hashed with. */
const CARD_HASHES = 'counterfoil card hashes'

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

/** Starts a gateway on an engine, which it owns from then on. The only place that ties the parts together. */
export async function startGateway(
  config: Config,
  engine: Engine,
  dependencies: GatewayDependencies,
): Promise<Gateway> {
  try {
    return await start(config, engine, dependencies)
  } catch (error) {
    await engine.close()
    throw error
  }
}

async function start(
  config: Config,
  engine: Engine,
  dependencies: GatewayDependencies,
): Promise<Gateway> {
  const { log } = dependencies
  for (const warning of config.warnings) log.warn(warning)
  const tls = config.tls && readTls(config.tls, new Date())
  if (tls?.dateFault !== undefined) log.warn(tls.dateFault)
  const loadReports = createLoader(config, engine, log)
  let { catalogue } = await loadReports()
  const services = await openServices(config, engine, dependencies)
  const events = new RequestEvents()
  logRequests(events, log)
  const server = createHttpServer({
    signedPaths: signedPathsOf(
      config,
      { ...services.reports, catalogue: () => catalogue },
      services.payments,
    ),
    publicReplies: publicRepliesOf(config),
    hosts: hostsOf(config),
    connections: connectionsOf(config, log),
    events,
    ...(tls && { tls }),
  })
  const { host, port } = config.listen
  const address = await server.listen(host, port).catch(async (error: unknown) => {
    await server.close(0)
    await services.close()
    throw error
  })
  const reportUrl = config.publicUrl + config.reportPath
  log.info(`listening on ${address.address}:${address.port} for ${reportUrl}`)
  return {
    reportUrl,
    address,
    reload: createReload(
      config,
      server,
      log,
      () => catalogue.reports.size,
      async () => {
        const loaded = await loadReports()
        catalogue = loaded.catalogue
        return loaded
      },
    ),
    close: async () => {
      await server.close(config.drainSeconds * 1000)
      await services.close()
      await engine.close()
    },
  }
}

function connectionsOf({ engine, proxyEndsTls }: Config, log: Log): ConnectionLimits {
  const openFilesMax = readOpenFilesMax()
  const limits = connectionLimits(openFilesMax, engine.sessions, proxyEndsTls)
  if (limits.isTight) {
    const { max, perAddressMax } = limits
    const share = perAddressMax < max ? `, ${perAddressMax} of them from one address` : ''
    log.warn(
      `The process may open ${openFilesMax} files only. It accepts ${max} connections${share}, and ` +
        'reports may fail under load. Raise the limit, for example with "ulimit -n 65536".',
    )
  }
  return limits
}

/** The dependencies of the request handlers. They share one store, one relay and one admission. */
interface Services {
  readonly reports: Omit<ReportDependencies & CatalogueDependencies, 'catalogue'>
  readonly payments: OperationDependencies
  close(): Promise<void>
}

async function openServices(
  config: Config,
  engine: Engine,
  { log, environment }: GatewayDependencies,
): Promise<Services> {
  const masterKeys = openMasterKeys(config.masterKeys, environment)
  const store = openStore(config)
  await checkMasterKeys(store, masterKeys)
  const openKey = createKeyOpener(masterKeys)
  await openLiveKeys(store, openKey)
  const { outbox } = store
  const hashKeyOf = (version: number) => deriveKey(masterKeys, version, CARD_HASHES)
  await prepareOutbox(outbox, engine, hashKeyOf)
  const authenticator: Authenticator = {
    store,
    openKey,
    publicUrl: config.publicUrl,
    explains: config.environment === 'sandbox',
    foreignFingerprints: config.otherEnvironment.keyFingerprints,
    nowSeconds: () => Math.floor(Date.now() / 1000),
  }
  const admission = new Admission(
    {
      places: config.engine.sessions,
      queueLength: config.engine.queueLength,
      queueWaitMs: config.engine.queueWaitSeconds * 1000,
    },
    () => performance.now(),
  )
  const common = { authenticator, now: Date.now }
  const endpoints = createEndpoints(engine, () => performance.now())
  const newestRows = new NewestRows(engine, Date.now)
  const onRelayed = (): void => newestRows.forget()
  const relay = await startRelay({ outbox, engine, log, now: Date.now, onRelayed })
  return {
    reports: {
      ...common,
      engine,
      largeRequests: new LargeRequests(() => performance.now()),
      admission,
      relayAccepted: () => relay.flush(),
      newestRows,
      endpointsOf: async (login) => (config.payments ? await endpoints.of(login) : []),
    },
    payments: {
      ...common,
      outbox,
      endpoints,
      hashKeyOf,
      keyVersion: masterKeys.newestVersion,
      makeSerialNumber: randomUUID,
    },
    close: async () => {
      admission.close()
      await relay.close()
      await store.close()
    },
  }
}

/** Finds a missing master key and the last order number at the start, and not at an order. */
async function prepareOutbox(
  outbox: Outbox,
  engine: Engine,
  hashKeyOf: (keyVersion: number) => KeyObject,
): Promise<void> {
  for (const version of await outbox.listKeyVersions()) hashKeyOf(version)
  await outbox.raiseNumbers(await lastOrderNumber(engine))
}
