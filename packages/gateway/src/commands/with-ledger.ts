import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, openOwnEngine } from '@counterfoil/engine'
import { LedgerChanges, migrateLedger, REPORT_COLUMNS } from '@counterfoil/ledger'
import { type Config, controlSocketFile } from '../config/config.ts'
import { connectToGateway } from '../control/control-client.ts'
import { connectEngine, openEngine } from '../serve/open-engine.ts'
import { type CommandLedger, commandLedger, openRemoteLedger } from './command-ledger.ts'

const MEBIBYTE = 1024 ** 2

/**
 * Runs work on the ledger of a configuration: through the running gateway, or in this process if no gateway runs. If
 * this process ends before the work, the ledger has all of an import or nothing of it.
 *
 * @throws {GatewayError} `ledger` if another process has the ledger open
 */
export async function withLedger<T>(
  config: Config,
  work: (ledger: CommandLedger) => Promise<T>,
): Promise<T> {
  const gateway = await connectToGateway(controlSocketFile(config))
  if (!gateway) {
    return await closing(await openEngine(config), (engine) => {
      return work(commandLedger(config, engine, new LedgerChanges()))
    })
  }
  return await closing(gateway, async () => {
    const { findServer, ...ledger } = openRemoteLedger(gateway)
    return await closing(await connectEngine(config, findServer), (engine) => {
      return work({ ...ledger, engine })
    })
  })
}

/** Runs work on a separate engine, which has the ledger's tables and no rows. A gateway may run meanwhile. */
export async function withEmptyLedger<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const engine = await openOwnEngine({
    directory,
    querySeconds: 60,
    queryBytesMax: 512 * MEBIBYTE,
    engineBytesMax: 1024 * MEBIBYTE,
    reportColumns: REPORT_COLUMNS,
  })
  try {
    return await closing(engine, async () => {
      await migrateLedger(engine)
      return await work(engine)
    })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

async function closing<Opened extends { close(): Promise<void> }, T>(
  opened: Opened,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}
