import { pipeline } from 'node:stream/promises'
import {
  type ColumnOption,
  type CounterfoilClient,
  countsRows,
  createError,
  type Download,
  type Proof,
  type ReportRequest,
} from '@counterfoil/client'
import { FILTER_NAMES, IDS_EXPECTED, readIds } from '@counterfoil/protocol'
import { InvalidArgumentError, Option } from 'commander'
import { placeProfile } from '../connection/profile.ts'
import { type GatewayConnection, withClient } from '../connection/read-connection.ts'
import { GATEWAY_OPTIONS } from '../connection/settings.ts'
import {
  type CommandDescription,
  type Dependencies,
  EXIT_CODE_HELP,
  EXIT_CODES,
  UsageError,
} from '../command.ts'
import { createProgressLine } from '../print/progress-line.ts'
import { countOf, formatBytes, jsonLine, printable } from '../print/text.ts'
import {
  buildRequest,
  chooseFormat,
  type Filters,
  nameOutput,
  type OutputValues,
  outputValuesOf,
  type Parameters,
  parseRequest,
  type ReportOptions,
} from '../report/build-request.ts'
import { saveChanges, type SaveReport } from '../report/since-last.ts'
import { readText } from '../files.ts'

/** The options of `counterfoil report`, in the order in which the help lists them. */
// biome-ignore format: a table
const REPORT_OPTIONS: readonly Option[] = [
  new Option('--from <date>', 'first day or time of the period (parameter dateFrom)'),
  new Option('--to <date>', 'end of the period, not included (parameter dateTo)'),
  new Option('--timezone <zone>', 'time zone of the period and of the report, such as Europe/Riga'),
  new Option('--parameter <name=value>', 'another parameter of the report (repeatable)').argParser(addParameter),
  new Option('--filter <name=id,id>', 'only rows of these ids, such as currencies=EUR,USD (repeatable)').argParser(addFilter),
  new Option('--column <name[=title]>', 'only these columns, in this order, under these titles (repeatable)').argParser(addColumn),
  new Option('--configuration <name=value>', 'how to write the report, such as decimalSeparator=, (repeatable)').argParser(addParameter),
  new Option('--for-excel <locale>', 'write CSV for a spreadsheet with this language, such as de or en-GB'),
  new Option('--encode <charset>', 'character encoding of the report, such as windows-1251'),
  new Option('--delimiter <character>', 'character between CSV fields'),
  new Option('--format <format>', 'format of the report (default: by the extension of -o, else CSV)'),
  new Option('--name <name>', 'name of the report'),
  new Option('--request <file>', 'file with a request as JSON; the other options replace its members'),
  new Option('-o, --output <file>', "file to save the report in, such as tx-{from}-{to}.csv; - for stdout (default: the gateway's file name)"),
  new Option('--since-last', 'only rows that changed since the last run with this option'),
  new Option('--require-proof', 'fail if the gateway does not prove that the report is complete (exit code 6)'),
  new Option('--overwrite', 'replace an existing file'),
  new Option('--json', 'print the result or the error as one line of JSON on stdout'),
  ...GATEWAY_OPTIONS,
]

const STANDARD_OUTPUT = '-'

const HELP = `
Examples, with a profile (counterfoil init):
  counterfoil report transactions-list --timezone Europe/Riga \\
    --from 2026-05-01 --to 2026-06-01 -o may.csv
  counterfoil report transactions-list --since-last -o 'tx-{from}-{to}.csv'
  counterfoil report transactions-list --from 2026-05-01 --for-excel de

Your key: --control-key-file or --private-key, or the control key itself in the
variable COUNTERFOIL_CONTROL_KEY or in the profile. On a terminal the command
asks for a missing key. A key is never an argument, because every user of the
machine can see arguments.
An input file may be /dev/stdin or <(command), but not -.

In the file name, {report}, {from} and {to} stand for the report and the bounds
of the period. With --since-last, {from} and {to} are the times of the last run
and of this one. The first run gets every row of the request. Each later run
gets the rows that are new or changed since.

The file appears only if the report is complete: its digest and, for CSV, its
row count agree with those that the gateway sends. With -o - the bytes appear as
they arrive, and the exit code says whether the report is complete.
${EXIT_CODE_HELP}`

export const REPORT: CommandDescription<ReportOptions> = {
  name: 'report',
  summary: 'request a report and save it',
  description: 'Requests a report and saves it.',
  argument: ['[identifier]', 'identifier of the report (required without --request)'],
  options: REPORT_OPTIONS,
  help: HELP,
  async run(options, dependencies, identifier) {
    const toStdout = options.output === STANDARD_OUTPUT
    if (toStdout && options.json) throw new UsageError('use --json or -o -, not both')
    if (toStdout && options.sinceLast) throw new UsageError('use --since-last or -o -, not both')
    const request = await readRequest(identifier, options)
    const run = async (client: CounterfoilClient, connection: GatewayConnection) => {
      const save: SaveReport = async (asked, values) => {
        return await saveReport(client, asked, values, options, dependencies)
      }
      const profile = placeProfile(options.profile, dependencies.env)
      if (toStdout) await printReport(client, request, dependencies)
      else if (!options.sinceLast) await save(request, outputValuesOf(request))
      else await saveChanges(client, { ...connection, profile }, request, dependencies, save)
      return EXIT_CODES.done
    }
    const state = toStdout
      ? 'Standard output does not hold a complete report.'
      : 'No file was saved.'
    return await withClient(options, dependencies, run, state)
  },
}

async function readRequest(
  identifier: string | undefined,
  options: ReportOptions,
): Promise<ReportRequest> {
  const file = options.request
  const base = file === undefined ? {} : parseRequest(await readText(file, '--request'), file)
  return chooseFormat(buildRequest(identifier, options, base), options.output)
}

async function saveReport(
  client: CounterfoilClient,
  request: ReportRequest,
  values: OutputValues,
  { output, overwrite = false, json }: ReportOptions,
  { stdout, stderr, signal }: Dependencies,
): Promise<Download> {
  const target = output === undefined ? { directory: '.' } : nameOutput(output, values)
  const startMs = performance.now()
  const progress = createProgressLine(stderr)
  const options = { signal, onProgress: progress.update, overwrite }
  const saved = await client.download(request, {}, target, options).finally(progress.clear)
  const received = { ...saved, seconds: secondsSince(startMs) }
  stderr.write(describeReceived(received))
  if (json) stdout.write(jsonLine({ ok: true, ...received }))
  return saved
}

async function printReport(
  client: CounterfoilClient,
  request: ReportRequest,
  { stdout, stderr, signal }: Dependencies,
): Promise<void> {
  const startMs = performance.now()
  const { body, completed, fileName: _, ...head } = await client.report(request, {}, { signal })
  try {
    await pipeline(body, stdout, { end: false })
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
    const message = `cannot write to standard output: ${cause.message}`
    throw createError('file-error', message, {}, { requestId: head.runId, cause })
  }
  const received = { file: STANDARD_OUTPUT, ...head, ...(await completed) }
  stderr.write(describeReceived({ ...received, seconds: secondsSince(startMs) }))
}

function secondsSince(startMs: number): number {
  return Math.round(performance.now() - startMs) / 1000
}

export function addParameter(text: string, before: Parameters = {}): Parameters {
  const [name, value] = splitPair(text)
  return { ...before, [name]: value }
}

function addColumn(text: string, before: readonly ColumnOption[] = []): readonly ColumnOption[] {
  const [name, title] = text.includes('=') ? splitPair(text) : [text, '']
  return [...before, title === '' ? name : { name, title }]
}

function addFilter(text: string, before: Filters = {}): Filters {
  const [wanted, value] = splitPair(text)
  const name = FILTER_NAMES.find((known) => known === wanted)
  const values = readIds(value)
  if (!name) throw new InvalidArgumentError(`Expected one of ${FILTER_NAMES.join(', ')}.`)
  if (!values) throw new InvalidArgumentError(IDS_EXPECTED)
  return { ...before, [name]: [...(before[name] ?? []), ...values] }
}

export function splitPair(text: string): [name: string, value: string] {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('Expected NAME=VALUE.')
  return [text.slice(0, equals), text.slice(equals + 1)]
}

/** What agreed with what the gateway says. */
const PROOFS: Readonly<Record<Proof, (what: string) => string>> = {
  trailers: (what) => what,
  manifest: (what) => `${what} with the manifest`,
  rows: () => 'the row count agrees with the manifest',
  none: () => 'this gateway does not prove that a report is complete',
}

export function describeReceived(received: Download & { readonly seconds: number }): string {
  const { file, rows, bytes, replaced, sha256, seconds, newestRow, runId, proof } = received
  const printed = proof === 'none' ? 'Received' : 'Complete'
  const verb = file === STANDARD_OUTPUT ? printed : `Saved ${printable(file)}`
  const counted = rows === undefined ? '' : `${countOf(rows, 'row', 'rows')}, `
  const amount = `${counted}${formatBytes(bytes)} in ${seconds.toFixed(2)} s`
  const agreed = countsRows(received.contentType)
    ? 'digest and row count agree'
    : 'the digest agrees'
  const characters = countOf(replaced, 'character', 'characters')
  const lines = [
    `${verb}: ${amount}; ${PROOFS[proof](agreed)}.`,
    `sha256 ${sha256}`,
    runId !== undefined && `run ${printable(runId)}`,
    replaced > 0 && `The encoding lacks ${characters} of the report, written as question marks.`,
    newestRow !== undefined && describeNewest(newestRow),
  ]
  return lines.map((line) => (line === false ? '' : `${line}\n`)).join('')
}

function describeNewest(newestRow: string): string {
  if (newestRow === 'none') return 'The ledger has no row for your login yet.'
  return `The ledger's newest row for your login is from ${printable(newestRow)}.`
}
