import {
  type ClientOptions,
  CounterfoilClient,
  CounterfoilError,
  type Download,
  FileError,
  type ReportRequest,
} from '@counterfoil/client'
import { pipeline } from 'node:stream/promises'
import { adviseAddress } from './advise-address.ts'
import { buildRequest, parseRequest } from './build-request.ts'
import { noteStatus } from './note-status.ts'
import { describeError, describeReceived, errorAsJson } from './print-outcome.ts'
import { createProgressLine } from './progress-line.ts'
import { readConnection } from './read-connection.ts'
import { readText } from './read-text.ts'
import type { ReportOptions } from './report-options.ts'
import { EXIT_CODES, type Dependencies } from './dependencies.ts'
import { UsageError } from './usage-error.ts'

const STANDARD_OUTPUT = '-'
const NOT_COMPLETE = 'Standard output does not hold a complete report.'

/**
 * Requests a report, saves it or writes it to stdout, and prints the result.
 *
 * @returns the exit code
 * @throws {UsageError} for a wrong command line
 */
export async function runReport(
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
    return EXIT_CODES.complete
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
    return error.code === 'invalid-settings' ? EXIT_CODES.usage : EXIT_CODES.failed
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
