import { type Config, controlSocketFile } from '../config/config.ts'
import { startCommand } from '../control/ask-gateway.ts'
import { LedgerChanges } from '@counterfoil/ledger'
import { connectEngine, openEngine } from '../serve/open-engine.ts'
import { type CommandLedger, commandLedger } from './command-ledger.ts'
import { openRemoteLedger } from './remote-ledger.ts'

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
  const command = await startCommand(controlSocketFile(config), 'ledger')
  if (command !== undefined) {
    const ledger = openRemoteLedger(command)
    try {
      const engine = await connectEngine(config, ledger.findServer)
      try {
        return await work({ ...ledger, engine })
      } finally {
        await engine.close()
      }
    } finally {
      await ledger.close()
    }
  }
  const engine = await openEngine(config)
  try {
    return await work(commandLedger(config, engine, new LedgerChanges()))
  } finally {
    await engine.close()
  }
}
