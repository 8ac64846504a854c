import { existsSync } from 'node:fs'
import { type Config, ledgerFolder } from '../config/config.ts'
import { readLetterhead } from '../config/read-letterhead.ts'
import { readTls } from '../config/read-tls.ts'
import type { GatewayDependencies } from '../serve/gateway.ts'
import { probePort } from '../http/probe-port.ts'
import {
  checkMasterKeys,
  hasStore,
  leftStoreFile,
  openMasterKeys,
  openStore,
} from '@counterfoil/store'
import { LIMITS, waitForFolder } from '@counterfoil/common'

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
