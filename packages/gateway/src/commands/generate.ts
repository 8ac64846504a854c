import { type Command, InvalidArgumentError } from 'commander'
import { createProgress } from '../observe/progress.ts'
import { loadConfig } from '../config/config.ts'
import { requireEmbeddedEngine } from '../serve/open-engine.ts'
import { addCommand } from './config-option.ts'
import { table } from './table.ts'
import { withLedger } from './with-ledger.ts'
import { controlSums, generateLedger } from '@counterfoil/sample-data'

const ROWS_MIN = 1_000
const ROWS_MAX = 1_000_000_000
const SEED_MAX = 2 ** 32 - 1

/**
 * Adds `generate`, which fills an empty ledger with generated transactions. It prints sums, by which two ledgers can be
 * compared.
 */
export function addGenerateCommand(program: Command): void {
  addCommand(program, 'generate', {
    summary: 'fill an empty ledger with made-up transactions',
    description:
      'Fills an empty ledger with made-up transactions of 34 months, and prints their sums by currency. ' +
      'The same rows and seed give the same sums on every machine. A running gateway takes the rows: its reports show ' +
      'them as they arrive.',
    examples: ['generate --config gateway.yaml --rows 100000'],
  })
    .requiredOption(
      '--rows <number>',
      'number of transactions (required)',
      integerParser(ROWS_MIN, ROWS_MAX),
    )
    .option('--seed <number>', 'seed of the random numbers', integerParser(0, SEED_MAX), 1)
    .action(async (options: { config: string; rows: number; seed: number }) => {
      const { rows, seed } = options
      const config = loadConfig(options.config)
      requireEmbeddedEngine(config)
      const work = { title: 'Making transactions', total: rows, unit: 'rows' }
      const progress = createProgress(process.stderr, work, performance.now.bind(performance))
      const sums = await withLedger(config, async ({ engine, imports }) => {
        // Until the end, the cursors of reports must not pass the rows that are still being written.
        await imports.begin()
        try {
          await generateLedger(engine, { rows, seed, onProgress: progress.update })
          return await controlSums(engine)
        } finally {
          await imports.end()
        }
      })
      progress.end()
      const lines = sums.map(({ currency, count, sum }) => [currency, String(count), sum])
      console.log(table(['CURRENCY', 'COUNT', 'SUM'], lines))
    })
}

function integerParser(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
  }
}
