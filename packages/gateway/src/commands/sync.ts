import { type Command, CommanderError } from 'commander'
import { openDatabase } from '@counterfoil/databases'
import { GatewayError } from '@counterfoil/common'
import {
  type DatabaseSource,
  readSeverities,
  readSource,
  type Source,
  type SyncOptions,
  type SyncResult,
  syncSource,
} from '@counterfoil/ledger'
import { type Config, loadConfig } from '../config/config.ts'
import { databaseSettings } from '../config/database-settings.ts'
import { OWN_IDS } from '../payments/order.ts'
import { requireOneServer } from '../serve/open-engine.ts'
import { addConfigOption } from './config-option.ts'
import { describeResult } from './describe-import.ts'
import { showSteps } from './show-steps.ts'
import { withLedger } from './with-ledger.ts'

/** The exit code when rows of the database are refused. */
const EXIT_REFUSED = 3

/** Adds `sync`, which brings the changes of a database into the ledger. */
export function addSyncCommand(program: Command): void {
  const syncing = program
    .command('sync')
    .summary('bring the changes of a database into the ledger')
    .description(
      'Reads what changed in a database since the last sync of this source, and writes it into the ledger: every valid ' +
        'row, or nothing. Deletes what the database does not have any more of the days that the sync compares. The ' +
        'database is only read. A ' +
        'running gateway takes the rows, and syncs by itself what its configuration lists under "syncs".',
    )
    .argument('<source>', 'SQL file that reads a database')
  addConfigOption(syncing)
    .option('--all', 'compare all days of creation, and not only the last ones (comparedDays)')
    .option('--into-closed', 'change days before ledgerClosedBefore, too')
    .option('--delete-many', 'allow more than 1,000 deletions')
    .addHelpText(
      'after',
      `
Exit codes:
  0  the ledger has all changes that the sync looked for
  1  the sync failed; the ledger is unchanged
  2  the command line is wrong
  3  some rows of the database are refused, all others are in the ledger

Example:
  counterfoil-gateway sync sources/payments.sql --config gateway.yaml`,
    )
    .action(async (file: string, options: SyncFlags) => {
      const config = loadConfig(options.config)
      requireOneServer(config)
      const steps = showSteps()
      const result = await withLedger(config, async (ledger) => {
        return await syncSource(ledger, {
          ...syncOptionsOf(config, file),
          ...(options.intoClosed && INTO_CLOSED),
          isWhole: options.all === true,
          mayDeleteMany: options.deleteMany === true,
          onProgress: steps.update,
        })
      }).finally(steps.end)
      console.log(describeSync(result))
      if (result.refused === 0) return
      const message = `The ledger lacks ${result.refused} rows of the database, which are refused.`
      console.error(message)
      throw new CommanderError(EXIT_REFUSED, 'sync.refused', message)
    })
}

/** What lets rows change closed days. */
export const INTO_CLOSED = { closedBefore: undefined, isForced: true } as const

interface SyncFlags {
  readonly config: string
  readonly all?: true
  readonly deleteMany?: true
  readonly intoClosed?: true
}

/** What a sync needs, from a configuration and the file of a source. */
export function syncOptionsOf(config: Config, file: string): SyncOptions {
  const source = requireDatabase(readSource(file))
  const settings = databaseSettings(config, source.database.name)
  return {
    source,
    openDatabase: async (engine) => await openDatabase(settings, engine),
    reservedIds: config.payments && OWN_IDS,
    severities: readSeverities(config.ledgerRules),
    closedBefore: config.ledgerClosedBefore,
  }
}

function requireDatabase(source: Source): DatabaseSource {
  const { database, path } = source
  if (database !== undefined) return { ...source, database }
  const message = 'expected "database" in the head, because only a database can be synced'
  throw new GatewayError('config', `${path}: ${message}`)
}

function describeSync({ judged, keys, deleted }: SyncResult): string {
  if (judged === undefined) return 'The database has not changed.'
  const result = describeResult(judged, keys)
  return deleted === 0
    ? result
    : `${result}\n\nDeleted from the ledger: ${deleted} ${deleted === 1 ? 'row' : 'rows'}.`
}
