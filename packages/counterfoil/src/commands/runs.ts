import type { Run, RunPage } from '@counterfoil/client'
import { Option } from 'commander'
import { withClient } from '../connection/read-connection.ts'
import { type ConnectionOptions, GATEWAY_OPTIONS } from '../connection/settings.ts'
import { type CommandDescription, EXIT_CODE_HELP, EXIT_CODES } from '../command.ts'
import {
  escapeControls,
  formatBytes,
  formatCount,
  jsonLine,
  printable,
  printableLine,
  table,
} from '../print/text.ts'

interface RunsOptions extends ConnectionOptions {
  readonly report?: string
  readonly limit: string
  readonly before?: string
}

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
  help: `
Examples:
  counterfoil runs
  counterfoil runs --report transactions-list --limit 5
  counterfoil runs --json

A run is the record of one report: who asked for what, when, and what the
gateway sent. counterfoil manifest RUN prints all of a record.
${EXIT_CODE_HELP}`,
  async run(options, dependencies) {
    const { report: reportIdentifier, limit, before, json } = options
    const { stdout, signal } = dependencies
    return await withClient(options, dependencies, async (client) => {
      const wanted = { limit: Number(limit), before, reportIdentifier }
      const page = await client.runs(wanted, { signal })
      stdout.write(json ? jsonLine(page) : describeRuns(page))
      return EXIT_CODES.done
    })
  },
}

function describeRuns({ runs, next }: RunPage): string {
  if (runs.length === 0) return 'There are no runs.\n'
  const titles = ['STARTED', 'RUN', 'REPORT', 'OUTCOME', 'ROWS', 'SIZE']
  const lines = table([titles, ...runs.map(rowOf)], { width: Number.POSITIVE_INFINITY })
  const more =
    next === undefined ? '' : `\nMore: counterfoil runs --before ${printableLine(next)}\n`
  return lines + more
}

function rowOf({ startedAt, runId, reportIdentifier, outcome, file }: Run): readonly string[] {
  const size = file ? [formatCount(file.rows), formatBytes(file.bytes)] : ['', '']
  const texts = [startedAt.replace(/\.\d+Z$/, 'Z'), runId, reportIdentifier, outcome]
  return [...texts.map(printableLine), ...size]
}

interface ManifestOptions extends ConnectionOptions {
  readonly signed?: boolean
}

export const MANIFEST: CommandDescription<ManifestOptions> = {
  name: 'manifest',
  summary: 'print the manifest of a run',
  description: 'Prints the manifest of a run.',
  argument: ['<run>', 'id of the run'],
  options: [
    new Option('--signed', 'print it as a JWS that the gateway signed'),
    ...GATEWAY_OPTIONS,
  ],
  help: `
Examples:
  counterfoil manifest 5d1f1c1e-6a53-4c39-b1a4-5b1bbd1f2d0e > may.json
  counterfoil manifest 5d1f1c1e-6a53-4c39-b1a4-5b1bbd1f2d0e --signed > may.jws

The manifest of a run says who asked for what, and the rows, the SHA-256 and the
totals of the file. With --signed it is a JWS: anybody with the gateway's public
key can check it years later, with counterfoil verify. RUN is the id that
counterfoil report and counterfoil runs print.
${EXIT_CODE_HELP}`,
  async run(options, dependencies, run = '') {
    const { stdout, signal } = dependencies
    return await withClient(options, dependencies, async (client) => {
      const manifest = options.signed
        ? printable(await client.signedManifest(run, { signal }))
        : escapeControls(JSON.stringify(await client.manifest(run, { signal }), undefined, 2))
      stdout.write(`${manifest}\n`)
      return EXIT_CODES.done
    })
  },
}
