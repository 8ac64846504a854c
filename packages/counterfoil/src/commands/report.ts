import {
  type ClientOptions,
  CounterfoilClient,
  CounterfoilError,
  type Download,
  FileError,
  type ReportRequest,
} from '@counterfoil/client'
import { pipeline } from 'node:stream/promises'
import { adviseAddress } from '../connection/advise-address.ts'
import { buildRequest, parseRequest } from '../report/build-request.ts'
import { noteStatus } from '../report/note-status.ts'
import { describeError, describeReceived, errorAsJson } from '../print/print-outcome.ts'
import { createProgressLine } from '../print/progress-line.ts'
import { readConnection } from '../connection/read-connection.ts'
import { readText } from '../connection/read-text.ts'
import { REPORT_OPTIONS, type ReportOptions } from '../report/report-options.ts'
import type { Command } from 'commander'
import { addOptions } from '../add-options.ts'
import type { Dependencies, ProgramDependencies } from '../dependencies.ts'
import { EXIT_CODES, exitCodeOf } from '../exit-codes.ts'
import { REPORT_EXAMPLE, REPORT_NOTES } from '../help-texts.ts'
import { runAction } from '../run-action.ts'
import { UsageError } from '../usage-error.ts'

const STANDARD_OUTPUT = '-'
const NOT_COMPLETE = 'Standard output does not hold a complete report.'

/** Adds `report`. */
export function addReportCommand(program: Command, dependencies: ProgramDependencies): void {
  const command = program
    .command('report')
    .summary('request a report and save it')
    .description('Requests a report and saves it.')
    .argument('[identifier]', 'identifier of the report (required without --request)')
    .addHelpText('after', `${REPORT_EXAMPLE}\n${REPORT_NOTES}`)
    .action((identifier, options) =>
      runAction(command, dependencies, runReport(identifier, options, dependencies)),
    )
  addOptions(command, REPORT_OPTIONS)
}

/**
 * Requests a report, saves it or writes it to stdout, and prints the result.
 *
 * @returns the exit code
 * @throws {UsageError} for a wrong command line
 */
async function runReport(
  identifier: string | undefined,
  options: ReportOptions,
  dependencies: Dependencies,
): Promise<number> {
  const { stdout, stderr, signal } = dependencies
  const toStdout = options.output === STANDARD_OUTPUT
  if (toStdout && options.json) throw new UsageError('use --json or -o -, not both')
  const request = await readRequest(identifier, options)
  const clientOptions = await readClientOptions(options, dependencies.env)
  const startMs = dependencies.nowMs()
  try {
    const client = new CounterfoilClient(clientOptions)
    const saved = toStdout
      ? await print(client, request, dependencies)
      : await save(client, request, options, dependencies)
    const seconds = Math.round(dependencies.nowMs() - startMs) / 1000
    const received = { ...saved, seconds }
    stderr.write(describeReceived(received) + noteStatus(request))
    if (options.json) stdout.write(`${JSON.stringify({ ok: true, ...received })}\n`)
    return EXIT_CODES.done
  } catch (error) {
    if (signal.aborted) {
      stderr.write('counterfoil: interrupted; nothing was saved.\n')
      return EXIT_CODES.interrupted
    }
    if (!(error instanceof CounterfoilError)) throw error
    const url = { option: '--endpoint', value: options.endpoint } as const
    const advice = await adviseAddress(error, url, { ca: clientOptions.ca, signal })
    const state = toStdout ? NOT_COMPLETE : 'No file was saved.'
    const hasCa = clientOptions.ca !== undefined
    stderr.write(describeError(error, { url: '--endpoint', state, advice, hasCa }))
    if (options.json) stdout.write(`${JSON.stringify(errorAsJson(error))}\n`)
    return exitCodeOf(error)
  }
}

async function readRequest(
  identifier: string | undefined,
  options: ReportOptions,
): Promise<ReportRequest> {
  const file = options.request
  const base = file === undefined ? {} : parseRequest(await readText(file, '--request'), file)
  return buildRequest(identifier, options, base)
}

async function readClientOptions(
  options: ReportOptions,
  env: NodeJS.ProcessEnv,
): Promise<ClientOptions> {
  const { endpoint, signBody } = options
  return { ...(await readConnection(options, env)), endpoint, ...(signBody && { signBody }) }
}

async function print(
  client: CounterfoilClient,
  request: ReportRequest,
  { stdout, signal }: Dependencies,
): Promise<Download> {
  const { body, completed, fileName: _, ...head } = await client.report(request, {}, { signal })
  try {
    await pipeline(body, stdout, { end: false })
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
    const message = `cannot write to standard output: ${cause.message}`
    throw new FileError(message, { requestId: head.runId, cause })
  }
  return { file: STANDARD_OUTPUT, ...head, ...(await completed) }
}

async function save(
  client: CounterfoilClient,
  request: ReportRequest,
  { output, overwrite = false }: ReportOptions,
  { stderr, signal, nowMs }: Dependencies,
): Promise<Download> {
  const progress = createProgressLine(stderr, nowMs)
  const options = { signal, overwrite, onProgress: (bytes: number) => progress.update(bytes) }
  try {
    return await client.download(request, {}, output ?? { directory: '.' }, options)
  } finally {
    progress.clear()
  }
}
