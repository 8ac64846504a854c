import { existsSync } from 'node:fs'
import { LIMITS, waitForFolder } from '@counterfoil/common'
import { type Engine, readNumber } from '@counterfoil/engine'
import {
  checkMasterKeys,
  hasStore,
  leftStoreFile,
  openMasterKeys,
  openStore,
} from '@counterfoil/store'
import { type Config, ledgerFolder } from '../config/config.ts'
import { readLetterhead, readTls } from '../config/configured-files.ts'
import { probePort } from '../http/listen.ts'
import { createLog, type Log, openLogDestination } from '../observe/log.ts'
import type { GatewayDependencies } from '../serve/gateway.ts'
import { openEngine } from '../serve/open-engine.ts'
import { command, CONFIG } from './command.ts'
import { ignoreHangUp, waitForStopSignal, withGateway } from './with-gateway.ts'

const STDOUT = 1

export const SERVE = command({
  name: 'serve',
  summary: 'run the gateway',
  description:
    'Runs the gateway and writes its log to stdout, one JSON object per line. SIGTERM and SIGINT stop the gateway: ' +
    'running reports have some seconds to end. SIGHUP does the same as the command "reload".',
  examples: ['serve --config gateway.yaml'],
  takes: { config: CONFIG },
  run: async ({ config }) => {
    process.on('SIGHUP', ignoreHangUp)
    const destination = openLogDestination(STDOUT)
    const log = createLog({ level: config.log.level, destination })
    const dependencies = { log, environment: process.env }
    await checkStart(config, dependencies)
    const engine = await openEngine(
      config,
      (step) => log.info(step),
      (reason) => log.error('The engine has ended. It starts again', new Error(reason)),
    )
    await warnOfLeftLedger(config, engine, log)
    // A signal during the start stops the gateway after the start, so that it leaves nothing behind.
    const stopping = waitForStopSignal().then(() => log.info('stopping'))
    await withGateway(config, engine, dependencies, async () => await stopping)
    log.info('stopped')
  },
})

/**
 * Finds mistakes of a configuration before the gateway opens its ledger, which takes far longer. Waits a while for a
 * short command that has the ledger open. Creates no folder.
 *
 * @throws {GatewayError} `config`, `credentials`, `store` or `port` for the first mistake
 */
export async function checkStart(
  config: Config,
  { log, environment }: GatewayDependencies,
): Promise<void> {
  if (config.tls) readTls(config.tls, new Date())
  readLetterhead(config)
  const masterKeys = openMasterKeys(config.masterKeys, environment)
  if (hasStore(config)) {
    const store = await openStore(config)
    await checkMasterKeys(store, masterKeys).finally(() => store.close())
  }
  const left = leftStoreFile(config)
  if (left !== undefined) {
    log.warn(
      `${left} is not in use: the store is in PostgreSQL. Move the file and the two beside it away`,
    )
  }
  const ledger = ledgerFolder(config)
  if (existsSync(ledger)) {
    const onWait = (): void => log.info(`waiting for another process that has ${ledger} open`)
    const release = await waitForFolder(ledger, LIMITS.ledgerLockWaitMs, onWait)
    // If another gateway runs, it also has the port. Opening the ledger then names that process.
    if (release === undefined) return
    release()
  }
  await probePort(config.listen)
  if (config.metrics) await probePort(config.metrics)
}

/** Warns if the ledger on servers has no transactions and an embedded ledger lies in `dataDir`: a copy is missing. */
async function warnOfLeftLedger(config: Config, engine: Engine, log: Log): Promise<void> {
  const folder = ledgerFolder(config)
  if (!config.engine.cluster || !existsSync(folder)) return
  const sql = 'SELECT count() AS value FROM transactions'
  if ((await readNumber(engine, sql)) > 0) return
  log.warn(
    `The ledger on the ClickHouse servers has no transactions, so every report is empty. ${folder} holds an embedded ` +
      'ledger. Stop the gateway and run "counterfoil-gateway ledger copy --to cluster", or move the folder away',
  )
}
