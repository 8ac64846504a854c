import { existsSync } from 'node:fs'
import { GatewayError, lockFolder } from '@counterfoil/common'
import { copyLedger } from '@counterfoil/ledger'
import { copyStore, storeFile } from '@counterfoil/store'
import { type Config, controlSocketFile, ledgerFolder } from '../config/config.ts'
import { connectTo } from '../control/control-client.ts'
import { openEachServer, openEngine } from '../serve/open-engine.ts'
import { command, CONFIG, group, requiredOption } from './command.ts'
import { table } from './terminal.ts'

export const LEDGER_COPY = command({
  name: 'copy',
  summary: 'copy the embedded ledger to ClickHouse servers',
  description:
    'Copies the ledger of dataDir to the servers under "engine.cluster" in the configuration, and compares the ' +
    'rows. It creates the tables. First stop every gateway that uses the servers. If the command stops, run it ' +
    'again: it continues. Do not run it again after you have inserted other rows into the servers.',
  examples: ['ledger copy --to cluster --config gateway.yaml'],
  takes: {
    config: CONFIG,
    to: requiredOption('--to <kind>', 'kind of the new ledger', ['cluster']),
  },
  run: async ({ config }) => {
    const { cluster, ...embedded } = config.engine
    if (!cluster) {
      const advice = `Add engine.cluster to ${config.file}`
      throw new GatewayError('config', `The configuration names no ClickHouse server. ${advice}`)
    }
    const folder = ledgerFolder(config)
    if (!existsSync(folder)) {
      throw new GatewayError('ledger', `${config.dataDir} holds no ledger. Check dataDir`)
    }
    await requireStoppedGateway(config)
    const source = await openEngine({ ...config, engine: embedded })
    const opened = [source]
    try {
      const servers = await openEachServer(config)
      opened.push(...servers)
      await copyLedger(source, servers, ({ table: name, piece, rows, isKnown }) => {
        const part = piece === 'all' ? name : `${name} ${piece}`
        console.log(`${part}: ${isKnown ? 'has' : 'copied'} ${rows} rows`)
      })
    } finally {
      for (const engine of opened) await engine.close()
    }
    console.error(`The cluster has the rows of ${folder}. Next: start the gateway.`)
  },
})

const STORE_COPY = command({
  name: 'copy',
  summary: 'copy the store from SQLite to PostgreSQL',
  description:
    'Copies store.sqlite of dataDir to the PostgreSQL under "store" in the configuration: everything or nothing. ' +
    'Stop the gateway first. The command refuses a PostgreSQL whose store has rows.',
  examples: ['store copy --to postgres --config gateway.yaml'],
  takes: {
    config: CONFIG,
    to: requiredOption('--to <kind>', 'kind of the new store', ['postgres']),
  },
  run: async ({ config }) => {
    if (!config.store) {
      const advice = `Add store.postgres.url to ${config.file}`
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
  },
})

export const STORE = group({
  name: 'store',
  summary: 'copy the store to PostgreSQL',
  description:
    'Copies the store: logins, keys, spent nonces, accepted operations, records of runs and view sessions.',
  below: [STORE_COPY],
})

/**
 * Refuses a command that must not run beside the gateway of its configuration. A gateway whose ledger is on a server
 * locks no folder, but listens on its control socket.
 */
async function requireStoppedGateway(config: Config): Promise<void> {
  const file = controlSocketFile(config)
  const socket = await connectTo(file)
  if (!socket) return
  socket.destroy()
  throw new GatewayError('control', `A gateway listens on ${file}. Stop the gateway first`)
}
