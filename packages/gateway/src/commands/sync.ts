import { GatewayError } from '@counterfoil/common'
import { openDatabase } from '@counterfoil/databases'
import {
  type DatabaseSource,
  readSeverities,
  readSource,
  type Source,
  type SyncOptions,
  syncSource,
} from '@counterfoil/ledger'
import type { Config } from '../config/config.ts'
import { databaseSettings } from '../config/databases.ts'
import { OWN_IDS } from '../payments/orders.ts'
import { requireOneServer } from '../serve/open-engine.ts'
import { argument, command, CONFIG, flag } from './command.ts'
import { describeResult } from './describe-import.ts'
import { counted, showSteps } from './terminal.ts'
import { withLedger } from './with-ledger.ts'

/** The exit code when rows are refused and all others are in the ledger. */
export const EXIT_REFUSED = 3

export const INTO_CLOSED_FLAG = flag('--into-closed', 'change days before ledgerClosedBefore, too')

export const INTO_CLOSED = { closedBefore: undefined, isForced: true } as const

export const SYNC = command({
  name: 'sync',
  summary: 'bring the changes of a database into the ledger',
  description:
    'Reads what changed in a database since the last sync of this source, and writes it into the ledger: every valid ' +
    'row, or nothing. Deletes what the database does not have any more of the days that the sync compares. The ' +
    'database is only read. A ' +
    'running gateway takes the rows, and syncs by itself what its configuration lists under "syncs".',
  exitCodes: {
    0: 'the ledger has all changes that the sync looked for',
    1: 'the sync failed; the ledger is unchanged',
    2: 'the command line is wrong',
    [EXIT_REFUSED]: 'some rows of the database are refused, all others are in the ledger',
  },
  examples: ['sync sources/payments.sql --config gateway.yaml'],
  takes: {
    config: CONFIG,
    file: argument('<source>', 'SQL file that reads a database'),
    all: flag('--all', 'compare all days of creation, and not only the last ones (comparedDays)'),
    intoClosed: INTO_CLOSED_FLAG,
    deleteMany: flag('--delete-many', 'allow more than 1,000 deletions'),
  },
  run: async ({ config, file, all = false, intoClosed, deleteMany = false }) => {
    requireOneServer(config)
    const steps = showSteps()
    const { judged, keys, deleted, refused } = await withLedger(config, async (ledger) => {
      return await syncSource(ledger, {
        ...syncOptionsOf(config, file),
        ...(intoClosed && INTO_CLOSED),
        isWhole: all,
        mayDeleteMany: deleteMany,
        onProgress: steps.update,
      })
    }).finally(steps.end)
    console.log(judged ? describeResult(judged, keys) : 'The database has not changed.')
    if (judged && deleted > 0) console.log(`\nDeleted from the ledger: ${counted(deleted, 'row')}.`)
    if (refused === 0) return 0
    console.error(`The ledger lacks ${refused} rows of the database, which are refused.`)
    return EXIT_REFUSED
  },
})

/** What a sync needs, from a configuration and the file of a source. */
export function syncOptionsOf(config: Config, file: string): SyncOptions {
  const source = requireDatabase(readSource(file))
  const settings = databaseSettings(config.databases, source.database.name)
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
