import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { type Authenticator, createKeyUses } from '../authenticate/authenticate.ts'
import { type AskedRefusal, explainRefusal } from '../authenticate/explain-refusal.ts'
import { RefusedRequests } from '../authenticate/refused-requests.ts'
import type { Config } from '../config/config.ts'
import { readLetterhead, readTls } from '../config/configured-files.ts'
import { openConsole } from '../console/open-console.ts'
import type { Engine } from '@counterfoil/engine'
import { FairQueue, LIMITS, shareFor } from '@counterfoil/common'
import { serveMetrics } from '../http/metrics-server.ts'
import { createHttpServer } from '../http/server.ts'
import { type Login, type OpenKey, openKeys, openStore, type Store } from '@counterfoil/store'
import { LedgerChanges, listSyncs, readLedgerId } from '@counterfoil/ledger'
import type { Log } from '../observe/log.ts'
import { hostsOf, type PathServices, publicAnswersOf, signedPathsOf } from './paths.ts'
import { createEndpoints } from '../payments/endpoints.ts'
import { prepareOutbox } from '../payments/orders.ts'
import { startRelay } from '../payments/relay.ts'
import { type GatewayReadings, readingsOf } from './readings.ts'
import { createLoader, createReload } from './reload.ts'
import { NewestRows } from '../report/newest-rows.ts'
import { openManifestKeys } from '../runs/manifest-keys.ts'
import { RunRecorder } from '../runs/run-recorder.ts'

const DAY_MS = 86_400_000

const ONE_KEY_FOR_TWO =
  'otherEnvironment is not set, so a key of the other environment would work here too. List its fingerprints there, or write "otherEnvironment: {}" if there is none'

export interface Gateway {
  /** The URL that callers send their requests for reports to. */
  readonly reportUrl: string
  readonly address: AddressInfo
  /** Changes of the ledger go through this, because reports read it. */
  readonly ledgerChanges: LedgerChanges
  readonly readings: GatewayReadings
  readonly reload: ReturnType<typeof createReload>
  /** Tells the operator why a request was refused, if the request is among the last ones that were. */
  explain(asked: AskedRefusal): Promise<readonly string[]>
  /** Lets running reports end within the configured time, ends what still runs, and closes everything. */
  close(): Promise<void>
}

/** The dependencies of a gateway that its process provides. */
export interface GatewayDependencies {
  readonly log: Log
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Closes a part of a gateway. Parts close in the reverse order of their start. */
type Closer = () => void | Promise<void>

/** Starts a gateway on an engine, which it owns from then on. The only place that ties the parts together. */
export async function startGateway(
  config: Config,
  engine: Engine,
  dependencies: GatewayDependencies,
): Promise<Gateway> {
  const closers: Closer[] = [() => engine.close()]
  const close = async (): Promise<void> => {
    for (const closePart of closers.splice(0).toReversed()) await closePart()
  }
  try {
    return { ...(await start(config, engine, dependencies, closers)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function start(
  config: Config,
  engine: Engine,
  dependencies: GatewayDependencies,
  closers: Closer[],
): Promise<Omit<Gateway, 'close'>> {
  const { log } = dependencies
  const tls = config.tls && readTls(config.tls, new Date())
  if (tls?.dateFault) log.warn(tls.dateFault)
  if (!config.otherEnvironment) log.warn(ONE_KEY_FOR_TWO)
  const loadReports = createLoader(config, engine, log)
  let { catalogue } = await loadReports()
  const services = await openServices(config, engine, dependencies, closers)
  // The library of the metrics takes a while to load.
  const metrics =
    config.metrics && (await import('../observe/metrics.ts')).createMetrics(services.readings)
  if (config.metrics && metrics) closers.push(await serveMetrics(metrics, config.metrics))
  const server = createHttpServer({
    signedPaths: signedPathsOf(config, {
      ...services,
      reports: { ...services.reports, catalogue: () => catalogue },
    }),
    publicAnswers: new Map([
      ...publicAnswersOf(config, services.runs.manifestKeys),
      ...openConsole(config.console, log),
    ]),
    readiness: services.readings.readiness,
    hosts: hostsOf(config),
    isBehindProxy: config.proxyEndsTls,
    observer: {
      onError: (message, error) => log.error(message, error),
      onEnd: (request) => {
        log.request(request)
        metrics?.count(request)
      },
    },
    ...(tls && { tls }),
  })
  closers.push(() => server.close(config.drainSeconds * 1000))
  const address = await server.listen(config.listen)
  const reportUrl = config.publicUrl + config.reportPath
  log.info(`listening on ${address.address}:${address.port} for ${reportUrl}`)
  return {
    reportUrl,
    address,
    ledgerChanges: services.reports.ledgerChanges,
    readings: services.readings,
    explain: async (asked) => await explainRefusal(services.authenticator, asked),
    reload: createReload(config, server, log, async () => {
      const loaded = await loadReports()
      catalogue = loaded.catalogue
      return loaded
    }),
  }
}

/** Opens the dependencies of the request handlers. They share one store, one relay and the queues. */
async function openServices(
  config: Config,
  engine: Engine,
  { log, environment }: GatewayDependencies,
  closers: Closer[],
) {
  const store = await openStore(config)
  closers.push(() => store.close())
  const { outbox } = store
  const keys = await openKeys(store, config.masterKeys, environment)
  const { hashKeyOf } = keys
  await prepareOutbox(outbox, engine, hashKeyOf)
  const [engineQueue, threadQueue] = [openEngineQueue(config), openThreadQueue()]
  const authenticator = openAuthenticator(config, store, keys.openKey, threadQueue)
  const manifestKeys = await openManifestKeys(store.signingKeys, keys.masterKeys, new Date())
  const { keptDays, perLoginMax } = config.runs
  const keptMs = keptDays * DAY_MS
  const recorder = new RunRecorder({ store: store.runs, log, now: Date.now, keptMs, perLoginMax })
  closers.push(() => recorder.close())
  const endpoints = createEndpoints(engine, () => performance.now())
  const newestRows = new NewestRows(engine, Date.now)
  const ledgerChanges = await openChanges(config, engine, () => {
    newestRows.forget()
    endpoints.forget()
  })
  const relay = await startRelay({
    outbox,
    insert: (sql, parameters) => ledgerChanges.write(() => engine.execute(sql, parameters)),
    log,
    now: Date.now,
    onRelayed: () => newestRows.forget(),
  })
  closers.push(
    () => relay.close(),
    () => threadQueue.close(),
    () => engineQueue.close(),
  )
  return {
    authenticator,
    reports: {
      now: Date.now,
      engine,
      recorder,
      engineQueue,
      threadQueue,
      ledgerChanges,
      relayAccepted: () => relay.flush(),
      newestRows,
      syncedAt: syncedAtOf(config, engine),
      lagMinutes: config.dataLagMinutes,
      formatSettings: { pdf: { ...config.formats.pdf, letterhead: readLetterhead(config) } },
      timezone: config.timezone,
      endpointsOf: async (login: Login) => (config.payments ? await endpoints.of(login) : []),
    },
    payments: {
      now: Date.now,
      outbox,
      endpoints,
      hashKeyOf,
      keyVersion: keys.masterKeys.newestVersion,
      makeSerialNumber: randomUUID,
    },
    runs: { runs: store.runs, recorder, manifestKeys, threadQueue },
    viewSessions: viewSessionsOf(config, store),
    readings: readingsOf({ engineQueue, engine, store, newestRows, log, now: Date.now }),
  }
}

/** Returns a function that reads how far all syncs of a configuration go. */
function syncedAtOf({ syncs }: Config, engine: Engine): () => Promise<string | undefined> {
  if (syncs.length === 0) return async () => undefined
  const names = syncs.map(({ source }) => basename(source, '.sql'))
  return shareFor(LIMITS.readyCacheMs, async () => {
    const known = new Map((await listSyncs(engine)).map((sync) => [sync.source, sync.syncedAt]))
    const times = names.map((name) => known.get(name) ?? 'none')
    return times.includes('none') ? 'none' : times.toSorted()[0]
  })
}

function openAuthenticator(
  config: Config,
  store: Store,
  openKey: OpenKey,
  threadQueue: FairQueue,
): Authenticator {
  return {
    store,
    openKey,
    publicUrl: config.publicUrl,
    ...(config.environment === 'sandbox' && { diagnoses: threadQueue }),
    foreignFingerprints: new Set(config.otherEnvironment?.keyFingerprints),
    noteKeyUse: createKeyUses(store, Date.now),
    refusedRequests: new RefusedRequests(),
    nowSeconds: () => Math.floor(Date.now() / 1000),
  }
}

function viewSessionsOf(
  { publicUrl, console: settings }: Config,
  store: Store,
): PathServices['viewSessions'] {
  if (!settings || !settings.viewSessions) return undefined
  const { path, viewSessions } = settings
  return { path, store, publicUrl, minutes: viewSessions.minutes, now: Date.now }
}

/** Other processes write to a server too, and their rows may be on their way. */
async function openChanges(
  { engine: { cluster } }: Config,
  engine: Engine,
  onChange: () => void,
): Promise<LedgerChanges> {
  return new LedgerChanges(onChange, {
    now: Date.now,
    lagMs: cluster ? LIMITS.changesLagMs : 0,
    ledger: cluster ? undefined : await readLedgerId(engine),
  })
}

/** Creates the queue of everything that runs in the engine: reports and catalogues. */
function openEngineQueue({ engine }: Config): FairQueue {
  return new FairQueue({
    places: engine.sessions,
    perLogin: Math.max(1, Math.floor(engine.sessions / 2)),
    waitingMax: engine.queueLength,
    waitMs: engine.queueWaitSeconds * 1000,
    busy: { code: 'engine-busy', message: 'Too many reports are running.' },
  })
}

/** Creates the queue of long work on the main thread: large bodies, lists of runs, diagnoses. */
function openThreadQueue(): FairQueue {
  return new FairQueue({
    places: LIMITS.threadPlaces,
    perLogin: 1,
    waitingMax: LIMITS.threadWaitingMax,
    waitMs: LIMITS.threadWaitMs,
    rest: { times: LIMITS.threadRest, msMax: LIMITS.threadRestMsMax },
    busy: { code: 'gateway-busy', message: 'The gateway works for many other logins.' },
  })
}
