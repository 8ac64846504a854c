import { basename } from 'node:path'
import { GatewayError } from '@counterfoil/common'
import {
  importFiles,
  type ImportOptions,
  type JudgedRows,
  readSeverities,
  readSource,
  trySync,
  undoImport,
} from '@counterfoil/ledger'
import type { Config } from '../config/config.ts'
import { OWN_IDS } from '../payments/orders.ts'
import { requireOneServer } from '../serve/open-engine.ts'
import { argument, command, CONFIG, option, optionOr, wholeNumber } from './command.ts'
import { describeResult, describeSample } from './describe-import.ts'
import { EXIT_REFUSED, INTO_CLOSED, INTO_CLOSED_FLAG, syncOptionsOf } from './sync.ts'
import { count, showSteps } from './terminal.ts'
import { withLedger } from './with-ledger.ts'

/** The exit code when no row was refused, but the ledger has a newer version of some. */
const EXIT_OLDER = 4

const SAMPLE_ROWS = 100
const FILES = 'CSV, JSON or Parquet; CSV and JSON also compressed (.gz, .zst)'

const UNDO = command({
  name: 'undo',
  summary: 'undo an import',
  description:
    'Removes the rows that an import wrote, and brings back the rows that it replaced. Changes nothing if a later ' +
    'import or deletion changed one of its rows. "counterfoil-gateway status" shows the ids of the newest imports.',
  examples: ['import undo 7 --config gateway.yaml'],
  takes: {
    config: CONFIG,
    id: argument('<id>', 'id of the import', wholeNumber(1, 999_999_999)),
    intoClosed: INTO_CLOSED_FLAG,
  },
  run: async ({ config, id, intoClosed }) => {
    requireOneServer(config)
    const closedBefore = intoClosed ? undefined : config.ledgerClosedBefore
    const undone = await withLedger(config, (ledger) => undoImport(ledger, id, closedBefore))
    const { taken, replaced, table, importedAt } = undone
    const counts = `${count(taken)} rows of ${table}`
    const back = `${count(replaced)} replaced rows are back`
    console.log(`Undid import ${id} of ${importedAt}: removed ${counts}, and ${back}.`)
  },
})

export const IMPORT = command({
  name: 'import',
  summary: 'import transactions and other tables from files',
  description:
    'Imports files into a table of the ledger: every valid row of all files, or nothing. Lists the invalid rows in ' +
    'a file with their line and every reason. A running gateway takes the rows: its reports continue, and each shows ' +
    'all of the import or nothing of it.',
  exitCodes: {
    0: 'no row was refused',
    1: 'the import failed; the ledger has none of its rows or every valid one',
    2: 'the command line is wrong',
    [EXIT_REFUSED]: 'some rows were refused, all others are in the ledger',
    [EXIT_OLDER]: 'the ledger has a newer version of some rows',
  },
  examples: ['import sources/settlement.sql 2026-10.csv.gz \\\n    --config gateway.yaml'],
  takes: {
    config: CONFIG,
    source: argument('<source>', 'SQL file that reads the files'),
    files: argument<readonly string[]>('<file...>', FILES),
    intoClosed: INTO_CLOSED_FLAG,
    refused: option('--refused <file>', 'list of the invalid rows (default: FILE.refused.csv)'),
  },
  below: [UNDO],
  run: async ({ config, files, intoClosed, ...given }) => {
    const source = readSource(given.source)
    if (source.database !== undefined) {
      const message = 'this source reads a database. Use "counterfoil-gateway sync"'
      throw new GatewayError('config', `${source.path}: ${message}`)
    }
    const refusedFile = given.refused ?? `${basename(files[0] ?? '')}.refused.csv`
    const input = { source, files, refusedFile, ...(intoClosed && INTO_CLOSED) }
    const result = await readFiles(config, input)
    console.log(describeResult(result, files))
    if (result.refused === 0) return result.outdated.rows === 0 ? 0 : EXIT_OLDER
    console.error(
      `${refusedFile} lists the refused rows, each with all its reasons. Correct these rows and import them again.`,
    )
    return EXIT_REFUSED
  },
})

export const TRY = command({
  name: 'try',
  summary: 'try a source on files; changes nothing',
  description:
    'Does what an import does, but writes nothing. Shows rows of the files beside those of the ledger, refused rows ' +
    'first.',
  exitCodes: { [EXIT_REFUSED]: 'the source refuses some rows' },
  examples: ['try sources/settlement.sql 2026-10.csv \\\n    --config gateway.yaml'],
  takes: {
    config: CONFIG,
    path: argument('<source>', 'SQL file that reads the files, or a database'),
    files: argument<readonly string[]>('[file...]', FILES),
    rows: optionOr(SAMPLE_ROWS, '--rows <number>', 'how many rows to show', wholeNumber(0, 9999)),
  },
  run: async ({ config, path, files, rows: sampleRows }) => {
    const source = readSource(path)
    if (!source.database && files.length === 0) {
      throw new GatewayError('config', 'expected a file, because this source reads files')
    }
    const { judged, keys } = source.database
      ? await withLedger(config, async (ledger) => {
          return await trySync(ledger, { ...syncOptionsOf(config, path), sampleRows })
        })
      : { judged: await readFiles(config, { source, files, sampleRows }), keys: files }
    console.log(`${describeSample(judged.sample, keys)}\n\n${describeResult(judged, keys)}`)
    console.log('The ledger is unchanged.')
    return judged.refused === 0 ? 0 : EXIT_REFUSED
  },
})

async function readFiles(
  config: Config,
  input: Omit<ImportOptions, 'dataDir'>,
): Promise<JudgedRows> {
  requireOneServer(config)
  const steps = showSteps()
  return await withLedger(config, async (ledger) => {
    return await importFiles(ledger, {
      closedBefore: config.ledgerClosedBefore,
      ...input,
      dataDir: config.dataDir,
      reservedIds: config.payments && OWN_IDS,
      severities: readSeverities(config.ledgerRules),
      onProgress: steps.update,
    })
  }).finally(steps.end)
}
