import { existsSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { ledgerFolder, loadConfig } from '../config/config.ts'
import { GatewayError, lockFolder } from '@counterfoil/common'
import { copyStore, storeFile } from '@counterfoil/store'
import { requireStoppedGateway } from './require-stopped-gateway.ts'
import { addCommand, addGroup } from './config-option.ts'
import { table } from './table.ts'

const EXAMPLES = ['store copy --to postgres --config gateway.yaml']

/** Adds `store copy`. */
export function addStoreCommands(program: Command): void {
  const store = addGroup(program, 'store', {
    summary: 'copy the store to PostgreSQL',
    description:
      'Copies the store: logins, keys, spent nonces, accepted operations, records of runs and view sessions.',
    examples: EXAMPLES,
  })
  addCommand(store, 'copy', {
    summary: 'copy the store from SQLite to PostgreSQL',
    description:
      'Copies store.sqlite of dataDir to the PostgreSQL under "store" in the configuration: everything or nothing. ' +
      'Stop the gateway first. The command refuses a PostgreSQL whose store has rows.',
    examples: EXAMPLES,
  })
    .addOption(
      new Option('--to <kind>', 'kind of the new store (required)')
        .choices(['postgres'])
        .makeOptionMandatory(),
    )
    .action(async (options: { config: string }) => await copyToPostgres(options.config))
}

async function copyToPostgres(configFile: string): Promise<void> {
  const config = loadConfig(configFile)
  if (!config.store) {
    const advice = `Add store.postgres.url to ${configFile}`
    throw new GatewayError('store', `The configuration names no PostgreSQL. ${advice}`)
  }
  const file = storeFile(config)
  if (!existsSync(file)) {
    throw new GatewayError('store', `${config.dataDir} holds no store. Check dataDir`)
  }
  await requireStoppedGateway(config)
  const ledger = ledgerFolder(config)
  const release = existsSync(ledger) ? lockFolder(ledger) : () => {}
  if (!release) {
    throw new GatewayError('store', `Another process has ${ledger} open. Stop the gateway first`)
  }
  try {
    const copied = await copyStore(file, config.store.postgres)
    const rows = copied.map(({ table: name, rows: count }) => [name, String(count)])
    console.log(table(['TABLE', 'ROWS'], rows))
  } finally {
    release()
  }
  console.error(`Copied the store. Next: move ${file} away, and start the gateway.`)
}
