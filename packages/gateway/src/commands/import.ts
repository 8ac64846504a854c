import { basename } from 'node:path'
import { type Command, CommanderError, InvalidArgumentError } from 'commander'
import { loadConfig } from '../config/config.ts'
import { OWN_IDS } from '../payments/order.ts'
import { requireOneServer } from '../serve/open-engine.ts'
import {
  importFiles,
  type ImportOptions,
  type JudgedRows,
  readSeverities,
  readSource,
  type Source,
  trySync,
} from '@counterfoil/ledger'
import { GatewayError } from '@counterfoil/common'
import { addConfigOption } from './config-option.ts'
import { describeResult, describeSample } from './describe-import.ts'
import { showSteps } from './show-steps.ts'
import { INTO_CLOSED, syncOptionsOf } from './sync.ts'
import { addUndoCommand } from './undo.ts'
import { withLedger } from './with-ledger.ts'

/** The exit code when rows were refused and all others are in the ledger. */
const EXIT_REFUSED = 3

/** The exit code when no row was refused, but the ledger has a newer version of some. */
const EXIT_OLDER = 4

const SAMPLE_ROWS = 100

/** Adds `import` and `try`, which read files by a source. */
export function addImportCommands(program: Command): void {
  addImportCommand(program)
  addTryCommand(program)
}

function addImportCommand(program: Command): void {
  const importing = program
    .command('import')
    .summary('import transactions and other tables from files')
    .description(
      'Imports files into a table of the ledger: every valid row of all files, or nothing. Lists the invalid rows in ' +
        'a file with their line and every reason. A running gateway takes the rows: its reports continue, and each shows ' +
        'all of the import or nothing of it.',
    )
    .argument('<source>', 'SQL file that reads the files')
    .argument('<file...>', 'CSV, JSON or Parquet; CSV and JSON also compressed (.gz, .zst)')
  addUndoCommand(importing)
  addConfigOption(importing)
    .option('--into-closed', 'change days before ledgerClosedBefore, too')
    .option('--refused <file>', 'list of the invalid rows (default: FILE.refused.csv)')
    .addHelpText(
      'after',
      `
Exit codes:
  0  no row was refused
  1  the import failed; the ledger has none of its rows or every valid one
  2  the command line is wrong
  3  some rows were refused, all others are in the ledger
  4  the ledger has a newer version of some rows

Example:
  counterfoil-gateway import sources/settlement.sql 2026-10.csv.gz \\
    --config gateway.yaml`,
    )
    .action(async (source: string, files: string[], options: ImportFlags) => {
      const refusedFile = options.refused ?? `${basename(files[0] ?? '')}.refused.csv`
      const input = {
        source: requireFiles(readSource(source)),
        files,
        refusedFile,
        ...(options.intoClosed && INTO_CLOSED),
      }
      const result = await run(options.config, input)
      console.log(describeResult(result, files))
      if (result.refused === 0) {
        if (result.outdated.rows === 0) return
        throw new CommanderError(EXIT_OLDER, 'import.older', 'Some rows were older.')
      }
      const message = `${refusedFile} lists the refused rows, each with all its reasons. Correct these rows and import them again.`
      console.error(message)
      throw new CommanderError(EXIT_REFUSED, 'import.refused', message)
    })
}

interface ImportFlags {
  readonly config: string
  readonly refused?: string
  readonly intoClosed?: true
}

function addTryCommand(program: Command): void {
  const trying = program
    .command('try')
    .summary('try a source on files; changes nothing')
    .description(
      'Does what an import does, but writes nothing. Shows rows of the files beside those of the ledger, refused rows ' +
        'first.',
    )
    .argument('<source>', 'SQL file that reads the files, or a database')
    .argument('[file...]', 'CSV, JSON or Parquet; CSV and JSON also compressed (.gz, .zst)')
  addConfigOption(trying)
    .option('--rows <number>', 'how many rows to show', readRows, SAMPLE_ROWS)
    .addHelpText(
      'after',
      '\nThe exit code is 3 if the source refuses some rows.\n\nExample:\n  counterfoil-gateway try sources/settlement.sql 2026-10.csv \\\n    --config gateway.yaml',
    )
    .action(async (source: string, files: string[], options: { config: string; rows: number }) => {
      const read = readSource(source)
      const sampleRows = options.rows
      const { judged: result, from } = read.database
        ? await runTrySync(options.config, source, sampleRows)
        : {
            judged: await run(options.config, {
              source: read,
              files: requireSome(files),
              sampleRows,
            }),
            from: files,
          }
      console.log(`${describeSample(result.sample, from)}\n\n${describeResult(result, from)}`)
      console.log('The ledger is unchanged.')
      if (result.refused === 0) return
      throw new CommanderError(EXIT_REFUSED, 'import.refused', 'The source refuses some rows.')
    })
}

function requireFiles(source: Source): Source {
  if (source.database === undefined) return source
  const message = 'this source reads a database. Use "counterfoil-gateway sync"'
  throw new GatewayError('config', `${source.path}: ${message}`)
}

function requireSome(files: readonly string[]): readonly string[] {
  if (files.length > 0) return files
  throw new GatewayError('config', 'expected a file, because this source reads files')
}

async function runTrySync(configFile: string, file: string, sampleRows: number) {
  const config = loadConfig(configFile)
  const options = { ...syncOptionsOf(config, file), sampleRows }
  const { judged, keys } = await withLedger(
    config,
    async (ledger) => await trySync(ledger, options),
  )
  return { judged, from: keys }
}

function readRows(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a number from 0 to 9999')
}

async function run(configFile: string, input: Omit<ImportOptions, 'dataDir'>): Promise<JudgedRows> {
  const config = loadConfig(configFile)
  requireOneServer(config)
  const steps = showSteps()
  try {
    return await withLedger(config, async (ledger) => {
      return await importFiles(ledger, {
        closedBefore: config.ledgerClosedBefore,
        ...input,
        dataDir: config.dataDir,
        reservedIds: config.payments && OWN_IDS,
        severities: readSeverities(config.ledgerRules),
        onProgress: steps.update,
      })
    })
  } finally {
    steps.end()
  }
}
