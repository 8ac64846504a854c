import { existsSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { ledgerFolder, loadConfig } from '../config/config.ts'
import { GatewayError } from '../errors.ts'
import { copyLedger } from '../ledger/copy-ledger.ts'
import { openEachServer, openEngine } from '../open-engine.ts'
import { addConfigOption } from './config-option.ts'
import { requireStoppedGateway } from './require-stopped-gateway.ts'

const EXAMPLE = `
Example:
  counterfoil-gateway ledger copy --to cluster --config gateway.yaml`

/** Adds `ledger copy`. */
export function addLedgerCommands(program: Command): void {
  const ledger = program
    .command('ledger')
    .summary('copy the ledger to ClickHouse servers')
    .description('Copies the ledger: transactions, statements and the tables around them.')
    .addHelpText('after', EXAMPLE)
  const copy = ledger
    .command('copy')
    .summary('copy the embedded ledger to ClickHouse servers')
    .description(
      'Copies the ledger of dataDir to the servers under "engine.cluster" in the configuration, and compares the ' +
        'rows. It creates the tables. First stop every gateway that uses the servers. If the command stops, run it ' +
        'again: it continues. Do not run it again after you have inserted other rows into the servers.',
    )
  addConfigOption(copy)
    .addOption(
      new Option('--to <kind>', 'kind of the new ledger (required)')
        .choices(['cluster'])
        .makeOptionMandatory(),
    )
    .addHelpText('after', EXAMPLE)
    .action(async (options: { config: string }) => await copyToCluster(options.config))
}

async function copyToCluster(configFile: string): Promise<void> {
  const config = loadConfig(configFile)
  const { cluster: servers, ...embedded } = config.engine
  if (!servers) {
    const advice = `Add engine.cluster to ${configFile}`
    throw new GatewayError('config', `The configuration names no ClickHouse server. ${advice}`)
  }
  const folder = ledgerFolder(config)
  if (!existsSync(folder)) {
    throw new GatewayError('ledger', `${config.dataDir} holds no ledger. Check dataDir`)
  }
  await requireStoppedGateway(config)
  const opened = [await openEngine({ ...config, engine: embedded })]
  const [source] = opened
  try {
    const cluster = await openEngine(config)
    opened.push(cluster)
    const each = await openEachServer(config)
    opened.push(...each)
    if (source) {
      await copyLedger(source, cluster, each, ({ table, piece, rows, isKnown }) => {
        const name = piece === 'all' ? table : `${table} ${piece}`
        console.log(`${name}: ${isKnown ? 'has' : 'copied'} ${rows} rows`)
      })
    }
  } finally {
    for (const engine of opened) await engine.close()
  }
  console.error(`The cluster has the rows of ${folder}. Next: start the gateway.`)
}
