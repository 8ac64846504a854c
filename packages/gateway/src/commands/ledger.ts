import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { ledgerFolder, loadConfig } from '../config/config.ts'
import { GatewayError } from '@counterfoil/common'
import { isId } from '@counterfoil/protocol'
import {
  copyLedger,
  countRowsToDelete,
  type DeletedRows,
  deleteStatements,
  listReplaced,
} from '@counterfoil/ledger'
import { openEachServer, openEngine, requireOneServer } from '../serve/open-engine.ts'
import { requireStoppedGateway } from './require-stopped-gateway.ts'
import { addCommand, addGroup } from './config-option.ts'
import { table } from './table.ts'
import { withLedger } from './with-ledger.ts'

const EXAMPLES = ['ledger copy --to cluster --config gateway.yaml']

/** Adds `ledger copy`. */
export function addLedgerCommands(program: Command): void {
  const ledger = addGroup(program, 'ledger', {
    summary: 'copy the ledger, or delete rows',
    description:
      'Copies the ledger to ClickHouse servers, or deletes rows: transactions, statements and the tables around them.',
    examples: EXAMPLES,
  })
  addDeleteCommand(ledger)
  addCommand(ledger, 'copy', {
    summary: 'copy the embedded ledger to ClickHouse servers',
    description:
      'Copies the ledger of dataDir to the servers under "engine.cluster" in the configuration, and compares the ' +
      'rows. It creates the tables. First stop every gateway that uses the servers. If the command stops, run it ' +
      'again: it continues. Do not run it again after you have inserted other rows into the servers.',
    examples: EXAMPLES,
  })
    .addOption(
      new Option('--to <kind>', 'kind of the new ledger (required)')
        .choices(['cluster'])
        .makeOptionMandatory(),
    )
    .action(async (options: { config: string }) => await copyToCluster(options.config))
}

interface DeleteOptions {
  readonly config: string
  readonly merchant?: string
  readonly before?: string
  readonly yes?: boolean
}

function addDeleteCommand(ledger: Command): void {
  const command = addCommand(ledger, 'delete', {
    summary: 'delete the rows of a merchant, or old rows',
    description:
      'Deletes rows of the ledger for good. Prints their number and asks first. The gateway may run: its reports wait ' +
      'for the end. The store keeps its logins, operations and records of reports.',
    examples: [
      'ledger delete --merchant 17 --config gateway.yaml',
      'ledger delete --before 2020-01-01 --config gateway.yaml',
    ],
  })
    .addOption(
      new Option('--merchant <id>', 'all rows of this merchant, also its name and projects')
        .argParser(readId)
        .conflicts('before'),
    )
    .option('--before <day>', 'transactions and statements before this day, in UTC', readDay)
    .option('--yes', 'do not ask')
    .action(async (options: DeleteOptions) => {
      const { merchant, before } = options
      if (merchant !== undefined) await deleteRows(options, { merchant })
      else if (before !== undefined) await deleteRows(options, { before })
      else command.error("error: expected the option '--merchant' or '--before'")
    })
}

async function deleteRows(
  { config: file, yes }: DeleteOptions,
  chosen: DeletedRows,
): Promise<void> {
  const config = loadConfig(file)
  requireOneServer(config)
  await withLedger(config, async ({ engine, imports }) => {
    const counts = await countRowsToDelete(engine, chosen)
    const lines = counts.map(({ table: name, rows }) => [name, rows.toLocaleString('en-US')])
    console.log(table(['TABLE', 'ROWS TO DELETE'], lines))
    if (counts.every(({ rows }) => rows === 0)) {
      console.log('There is nothing to delete.')
      return
    }
    if (!yes && !(await hasAgreed())) {
      throw new GatewayError('ledger', 'Deleted nothing. Add --yes to delete without a question')
    }
    await imports.begin()
    try {
      await imports.change(deleteStatements(chosen, await listReplaced(engine)))
    } finally {
      await imports.end()
    }
    console.log('Deleted. Backups still have the rows.')
  })
}

/** Asks on a terminal. Without a terminal, nobody agrees. */
async function hasAgreed(): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question('Delete these rows for good? Type "yes": ')
  terminal.close()
  return answer.trim() === 'yes'
}

function readId(text: string): string {
  if (isId(text)) return text
  throw new InvalidArgumentError('expected the id of a merchant')
}

function readDay(text: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  if (isDay && text >= '1900-01-01' && text < '2300-01-01') return text
  throw new InvalidArgumentError('expected a day such as 2020-01-01')
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
    const each = await openEachServer(config)
    opened.push(...each)
    if (source) {
      await copyLedger(source, each, (copied) => {
        const { piece, rows, isKnown } = copied
        const name = piece === 'all' ? copied.table : `${copied.table} ${piece}`
        console.log(`${name}: ${isKnown ? 'has' : 'copied'} ${rows} rows`)
      })
    }
  } finally {
    for (const engine of opened) await engine.close()
  }
  console.error(`The cluster has the rows of ${folder}. Next: start the gateway.`)
}
