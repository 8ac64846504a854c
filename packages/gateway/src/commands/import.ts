import { basename } from 'node:path'
import { type Command, CommanderError, Option } from 'commander'
import { type Config, loadConfig } from '../config/config.ts'
import { OWN_IDS } from '../payments/order.ts'
import { importFolderOf, requireOneServer } from '../serve/open-engine.ts'
import {
  importFiles,
  type ImportOptions,
  type ImportResult,
  type ImportStep,
  LEDGER_TABLES,
  type LedgerTable,
  readMapping,
  readSeverities,
} from '@counterfoil/ledger'
import { LIMITS } from '@counterfoil/common'
import { createProgress, type Progress } from '../observe/progress.ts'
import { addConfigOption } from './config-option.ts'
import { describeNotes } from './describe-notes.ts'
import { table } from './table.ts'
import { addUndoCommand } from './undo.ts'
import { withLedger } from './with-ledger.ts'

/** The exit code when rows were refused and all others are in the ledger. */
const EXIT_REFUSED = 3

/** The exit code when no row was refused, but some were skipped because the ledger has a newer version. */
const EXIT_SKIPPED = 4

const TITLES: Readonly<Record<ImportStep, string>> = {
  reading: 'Reading',
  comparing: 'Comparing',
  writing: 'Writing',
}

interface Options {
  readonly config: string
  readonly mapping?: string
  readonly into: LedgerTable
  readonly refused?: string
}

/** Adds `import`, which loads files into the ledger. */
export function addImportCommand(program: Command): void {
  const importing = program
    .command('import')
    .summary('import transactions and other tables from files')
    .description(
      'Imports files into a table of the ledger: every valid row of all files, or nothing. Lists the invalid rows in ' +
        'a file with their line and every reason. A running gateway takes the rows: its reports continue, and each shows ' +
        'all of the import or nothing of it.',
    )
    .argument('<file...>', 'CSV, JSON lines or Parquet; also compressed (.gz, .zst)')
  addUndoCommand(importing)
  addConfigOption(importing)
    .option('--mapping <file>', "mapping of the files' columns to the ledger's columns")
    .addOption(
      new Option('--into <table>', 'table of the ledger')
        .choices(Object.keys(LEDGER_TABLES))
        .default('transactions'),
    )
    .option('--refused <file>', 'list of the invalid rows (default: FILE.refused.csv)')
    .addHelpText(
      'after',
      `
Exit codes:
  0  no row was refused
  1  the import failed; the ledger has none of its rows or every valid one
  2  the command line is wrong
  3  some rows were refused, all others are in the ledger
  4  some rows were skipped: the ledger has a newer version of them

Example:
  counterfoil-gateway import 2026-10.csv.gz --config gateway.yaml \\
    --mapping mapping.yaml`,
    )
    .action(async (files: string[], options: Options) => {
      const { into, refused = `${basename(files[0] ?? '')}.refused.csv` } = options
      const mapping = readMapping(options.mapping, into)
      const config = loadConfig(options.config)
      const result = await importInto(config, { files, table: into, mapping, refusedFile: refused })
      console.log(describeResult(result))
      for (const note of describeNotes(result.notes, files)) console.error(`\n${note}`)
      if (result.refused === 0) {
        if (result.notes.skipped === 0) return
        throw new CommanderError(EXIT_SKIPPED, 'import.skipped', 'Some rows were skipped.')
      }
      const message = `${refused} lists the refused rows, each with all its reasons. Correct these rows and import them again.`
      console.error(`${describeReasons(result)}\n${message}`)
      throw new CommanderError(EXIT_REFUSED, 'import.refused', message)
    })
}

async function importInto(
  config: Config,
  options: Omit<ImportOptions, 'folder' | 'onProgress'>,
): Promise<ImportResult> {
  requireOneServer(config)
  const steps = showSteps()
  try {
    return await withLedger(config, async (ledger) => {
      return await importFiles(ledger, {
        ...options,
        folder: importFolderOf(config),
        reservedIds: config.payments && OWN_IDS,
        isOnServer: config.engine.cluster !== undefined,
        severities: readSeverities(config.ledgerRules),
        onProgress: steps.update,
      })
    })
  } finally {
    steps.end()
  }
}

/** Shows the progress of one step after the other. */
function showSteps(): {
  readonly update: (step: ImportStep, rows: number, total: number) => void
  readonly end: () => void
} {
  let shown: { readonly step: ImportStep; readonly progress: Progress } | undefined
  return {
    update: (step, rows, total) => {
      if (shown?.step !== step) {
        shown?.progress.end()
        const work = { title: TITLES[step], total, unit: 'rows' }
        const progress = createProgress(process.stderr, work, performance.now.bind(performance))
        shown = { step, progress }
      }
      shown.progress.update(rows, total)
    },
    end: () => shown?.progress.end(),
  }
}

/** A table of the most frequent reasons, each with its number of rows. */
function describeReasons({ reasons }: ImportResult): string {
  const lines = reasons.map(({ reason, rows }) => [count(rows), reason])
  const most = LIMITS.reasonsShownMax
  const others = reasons.length < most ? '' : `\nThese are the ${most} most frequent reasons.`
  return `${table(['ROWS', 'REASON (a row may have several)'], lines)}${others}`
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}

function describeResult({ rows, taken, unchanged, older, refused }: ImportResult): string {
  return `${count(rows)} ${rows === 1 ? 'row' : 'rows'}: ${count(taken)} taken, ${count(unchanged)} unchanged, ${count(older)} older, ${count(refused)} refused.`
}
