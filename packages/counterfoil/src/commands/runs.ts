import type { Run, RunPage } from '@counterfoil/client'
import { Option } from 'commander'
import type { CommandDescription } from '../command.ts'
import { type ConnectionOptions, GATEWAY_OPTIONS } from '../connection/settings.ts'
import { withClient } from '../connection/with-client.ts'
import type { Dependencies } from '../dependencies.ts'
import { EXIT_CODE_HELP, EXIT_CODES } from '../exit-codes.ts'
import { jsonLine } from '../print/json-line.ts'
import { formatBytes, formatCount, printableLine } from '../print/print-outcome.ts'
import { table } from '../print/table.ts'
import { UsageError } from '../usage-error.ts'

interface RunsOptions extends ConnectionOptions {
  readonly report?: string
  readonly limit: string
  readonly before?: string
  readonly json?: boolean
}

const NOTES = `
Examples:
  counterfoil runs
  counterfoil runs --report transactions-list --limit 5
  counterfoil runs --json

A run is the record of one report: who asked for what, when, and what the
gateway sent. counterfoil manifest RUN prints all of a record.`

/** The command `runs`. */
export const RUNS: CommandDescription<RunsOptions> = {
  name: 'runs',
  summary: 'list the reports that the gateway sent you',
  description: 'Lists the reports that the gateway sent you, the newest first.',
  options: [
    new Option('--report <identifier>', 'only runs of this report'),
    new Option('--limit <count>', 'number of runs to list, up to 1000').default('20'),
    new Option('--before <run>', 'list the runs before this one; the last line of a list names it'),
    new Option('--json', 'print the runs as one line of JSON'),
    ...GATEWAY_OPTIONS,
  ],
  help: `${NOTES}\n${EXIT_CODE_HELP}`,
  run: runRuns,
}

async function runRuns(options: RunsOptions, dependencies: Dependencies): Promise<number> {
  const { report, before, json } = options
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new UsageError('--limit: expected a number from 1 to 1000')
  }
  const { stdout, signal } = dependencies
  const wanted = {
    limit,
    ...(before !== undefined && { before }),
    ...(report !== undefined && { reportIdentifier: report }),
  }
  return await withClient(options, dependencies, async (client) => {
    const page = await client.runs(wanted, { signal })
    stdout.write(json ? jsonLine(page) : describeRuns(page))
    return EXIT_CODES.done
  })
}

function describeRuns({ runs, next }: RunPage): string {
  if (runs.length === 0) return 'There are no runs.\n'
  const lines = table(
    [['STARTED', 'RUN', 'REPORT', 'OUTCOME', 'ROWS', 'SIZE'], ...runs.map(rowOf)],
    {
      width: Number.POSITIVE_INFINITY,
    },
  )
  return next === undefined
    ? lines
    : `${lines}\nMore: counterfoil runs --before ${printableLine(next)}\n`
}

function rowOf({ startedAt, runId, reportIdentifier, outcome, file }: Run): readonly string[] {
  const size = file ? [formatCount(file.rows), formatBytes(file.bytes)] : ['', '']
  const texts = [startedAt.replace(/\.\d+Z$/, 'Z'), runId, reportIdentifier, outcome]
  return [...texts.map(printableLine), ...size]
}
