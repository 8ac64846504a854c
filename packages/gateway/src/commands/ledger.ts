import { InvalidArgumentError } from 'commander'
import * as z from 'zod'
import { GatewayError } from '@counterfoil/common'
import {
  countRowsToDelete,
  deleteRows,
  endOfTomorrow,
  type LedgerFault,
  readSeverities,
  verifyLedger,
  whileImporting,
} from '@counterfoil/ledger'
import { isId } from '@counterfoil/protocol'
import { controlSums, generateLedger } from '@counterfoil/sample-data'
import { requireEmbeddedEngine, requireOneServer } from '../serve/open-engine.ts'
import {
  command,
  CONFIG,
  flag,
  group,
  option,
  optionOr,
  requiredOption,
  textThat,
  wholeNumber,
} from './command.ts'
import { LEDGER_COPY } from './copy.ts'
import { ask, showProgress, table } from './terminal.ts'
import { withLedger } from './with-ledger.ts'

/** The exit code when rows break a rule that refuses them. */
const EXIT_FAULTY = 3

const ROWS_MIN = 1_000
const ROWS_MAX = 1_000_000_000
const SEED_MAX = 2 ** 32 - 1

function isDay(text: string): boolean {
  return z.iso.date().safeParse(text).success && text >= '1900-01-01' && text < '2300-01-01'
}

const DELETE = command({
  name: 'delete',
  summary: 'delete the rows of a merchant, or old rows',
  description:
    'Deletes rows of the ledger for good. Prints their number and asks first. The gateway may run: its reports wait ' +
    'for the end. The store keeps its logins, operations and records of reports.',
  examples: [
    'ledger delete --merchant 17 --config gateway.yaml',
    'ledger delete --before 2020-01-01 --config gateway.yaml',
  ],
  takes: {
    config: CONFIG,
    merchant: option(
      '--merchant <id>',
      'all rows of this merchant, also its name and projects',
      textThat(isId, 'the id of a merchant'),
    ),
    before: option(
      '--before <day>',
      'transactions and statements before this day, in UTC',
      textThat(isDay, 'a day such as 2020-01-01'),
    ),
    yes: flag('--yes', 'do not ask'),
  },
  run: async ({ config, merchant, before, yes }) => {
    const chosen = merchant === undefined ? { before: before ?? '' } : { merchant }
    if ((merchant === undefined) === (before === undefined)) {
      throw new InvalidArgumentError("expected the option '--merchant' or '--before'")
    }
    requireOneServer(config)
    await withLedger(config, async (ledger) => {
      const counts = [...(await countRowsToDelete(ledger.engine, chosen))]
      console.log(table(['TABLE', 'ROWS TO DELETE'], counts))
      if (counts.every(([, rows]) => rows === 0)) {
        console.log('There is nothing to delete.')
        return
      }
      // Without a terminal, nobody agrees.
      if (!yes && (await ask('Delete these rows for good? Type "yes"')) !== 'yes') {
        throw new GatewayError('ledger', 'Deleted nothing. Add --yes to delete without a question')
      }
      await deleteRows(ledger, chosen)
      console.log('Deleted. Backups still have the rows.')
    })
  },
})

export const LEDGER = group({
  name: 'ledger',
  summary: 'copy the ledger, or delete rows',
  description:
    'Copies the ledger to ClickHouse servers, or deletes rows: transactions, statements and the tables around them.',
  below: [DELETE, LEDGER_COPY],
})

export const VERIFY_LEDGER = command({
  name: 'verify-ledger',
  summary: 'check the rows of the ledger by the rules of the import',
  description:
    'Checks every transaction and statement of the ledger by the rules of the import, and prints each rule that rows ' +
    'break: the number of rows, the sum of their amounts, and the first ids. Changes nothing. A gateway may run.',
  exitCodes: { 0: 'no row breaks a rule that refuses rows', [EXIT_FAULTY]: 'some rows do' },
  examples: ['verify-ledger --config gateway.yaml'],
  takes: { config: CONFIG },
  run: async ({ config }) => {
    const how = { severities: readSeverities(config.ledgerRules), tomorrowMs: endOfTomorrow() }
    const faults = await withLedger(config, async ({ engine }) => await verifyLedger(engine, how))
    console.log(faults.length === 0 ? 'No row breaks a rule.' : describeFaults(faults))
    return faults.every(({ severity }) => severity === 'warn') ? 0 : EXIT_FAULTY
  },
})

function describeFaults(faults: readonly LedgerFault[]): string {
  const lines = faults.map(({ name, severity, rows, sums, ids, sentence }) => {
    const amounts = sums.map(({ currency, sum }) => `${sum} ${currency}`).join(', ')
    return [name, severity, rows, amounts, ids.join(', '), sentence]
  })
  return table(['RULE', 'SEVERITY', 'ROWS', 'SUM', 'FIRST IDS', 'WHAT IT SAYS'], lines)
}

/** `generate`, which fills an empty ledger. It prints sums, by which two ledgers can be compared. */
export const GENERATE = command({
  name: 'generate',
  summary: 'fill an empty ledger with made-up transactions',
  description:
    'Fills an empty ledger with made-up transactions of 34 months, and prints their sums by currency. ' +
    'The same rows and seed give the same sums on every machine. A running gateway takes the rows: its reports show ' +
    'them as they arrive.',
  examples: ['generate --config gateway.yaml --rows 100000'],
  takes: {
    config: CONFIG,
    rows: requiredOption(
      '--rows <number>',
      'number of transactions',
      wholeNumber(ROWS_MIN, ROWS_MAX),
    ),
    seed: optionOr(1, '--seed <number>', 'seed of the random numbers', wholeNumber(0, SEED_MAX)),
  },
  run: async ({ config, rows, seed }) => {
    requireEmbeddedEngine(config)
    const progress = showProgress('Making transactions', rows, 'rows')
    const sums = await withLedger(config, async (ledger) => {
      // Until the end, the cursors of reports must not pass the rows that are still being written.
      return await whileImporting(ledger, async () => {
        await generateLedger(ledger.engine, { rows, seed, onProgress: progress.update })
        return await controlSums(ledger.engine)
      })
    })
    progress.end()
    const lines = sums.map(({ currency, count, sum }) => [currency, String(count), sum])
    console.log(table(['CURRENCY', 'COUNT', 'SUM'], lines))
  },
})
