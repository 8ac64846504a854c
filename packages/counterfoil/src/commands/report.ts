import {
  type CounterfoilClient,
  type Download,
  FileError,
  type ReportRequest,
} from '@counterfoil/client'
import { pipeline } from 'node:stream/promises'
import { buildRequest, parseRequest } from '../report/build-request.ts'
import { chooseFormat } from '../report/choose-format.ts'
import { placeCursor } from '../report/cursor.ts'
import { nameOutput, type OutputValues, outputValuesOf } from '../report/name-output.ts'
import { readNote } from '../report/read-note.ts'
import { isCursorRefused, startSinceLast } from '../report/since-last.ts'
import { jsonLine } from '../print/json-line.ts'
import { describeReceived, printable } from '../print/print-outcome.ts'
import { createProgressLine } from '../print/progress-line.ts'
import { placeProfile } from '../connection/profile.ts'
import type { GatewayConnection } from '../connection/read-connection.ts'
import { withClient } from '../connection/with-client.ts'
import { readText } from '../connection/read-text.ts'
import { REPORT_OPTIONS, type ReportOptions } from '../report/report-options.ts'
import type { CommandDescription } from '../command.ts'
import type { Dependencies } from '../dependencies.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { REPORT_EXAMPLE, REPORT_NOTES } from '../help-texts.ts'
import { UsageError } from '../usage-error.ts'

const STANDARD_OUTPUT = '-'
const NOT_COMPLETE = 'Standard output does not hold a complete report.'

/** The command `report`. */
export const REPORT: CommandDescription<ReportOptions> = {
  name: 'report',
  summary: 'request a report and save it',
  description: 'Requests a report and saves it.',
  argument: ['[identifier]', 'identifier of the report (required without --request)'],
  options: REPORT_OPTIONS,
  help: `${REPORT_EXAMPLE}\n${REPORT_NOTES}`,
  run: runReport,
}

/** Requests a report, saves it or writes it to stdout, and prints the result. */
async function runReport(
  options: ReportOptions,
  dependencies: Dependencies,
  identifier?: string,
): Promise<number> {
  const toStdout = options.output === STANDARD_OUTPUT
  if (toStdout && options.json) throw new UsageError('use --json or -o -, not both')
  if (toStdout && options.sinceLast) throw new UsageError('use --since-last or -o -, not both')
  if (options.split && options.sinceLast) {
    throw new UsageError('use --since-last or --split, not both')
  }
  if (options.split && (toStdout || options.output === undefined)) {
    throw new UsageError('--split needs a file: add -o FILE')
  }
  const request = await readRequest(identifier, options)
  const run = async (client: CounterfoilClient, connection: GatewayConnection) => {
    if (toStdout) await printReport(client, request, dependencies)
    else if (options.sinceLast)
      await saveChanges(client, connection, request, options, dependencies)
    else await saveReport(client, request, outputValuesOf(request), options, dependencies)
    return EXIT_CODES.done
  }
  const state = toStdout ? NOT_COMPLETE : 'No file was saved.'
  return await withClient(options, dependencies, run, { state, afterInterruption: state })
}

async function readRequest(
  identifier: string | undefined,
  options: ReportOptions,
): Promise<ReportRequest> {
  const file = options.request
  const base = file === undefined ? {} : parseRequest(await readText(file, '--request'), file)
  return chooseFormat(buildRequest(identifier, options, base), options.output)
}

/** Saves a report and prints the result. */
async function saveReport(
  client: CounterfoilClient,
  request: ReportRequest,
  values: OutputValues,
  { output, overwrite, split, json }: ReportOptions,
  { stdout, stderr, signal, nowMs }: Dependencies,
): Promise<Download> {
  const target = output === undefined ? { directory: '.' } : nameOutput(output, values)
  const startMs = nowMs()
  const progress = createProgressLine(stderr, nowMs)
  const onProgress = (bytes: number, rows: number | undefined) => progress.update(bytes, rows)
  let saved: Download
  try {
    const options = { signal, onProgress, ...(overwrite && { overwrite }), ...(split && { split }) }
    saved = await client.download(request, {}, target, options)
  } finally {
    progress.clear()
  }
  const received = { ...saved, seconds: secondsSince(startMs, nowMs) }
  stderr.write(describeReceived(received))
  // For people only: the note costs a request.
  if (stderr.isTTY)
    stderr.write(printable(await readNote(client, request.reportIdentifier, signal)))
  if (json) stdout.write(jsonLine({ ok: true, ...received }))
  return saved
}

/** Saves the rows that changed since the last run, and moves the cursor. */
async function saveChanges(
  client: CounterfoilClient,
  connection: GatewayConnection,
  request: ReportRequest,
  options: ReportOptions,
  dependencies: Dependencies,
): Promise<void> {
  const profile = placeProfile(options.profile, dependencies.env)
  const place = placeCursor(profile, connection, request)
  const since = await startSinceLast(client, request, place, dependencies)
  const values = { report: request.reportIdentifier, from: since.from, to: since.to }
  try {
    const { runId } = await saveReport(client, since.request, values, options, dependencies)
    await since.finish(runId)
  } catch (error) {
    if (isCursorRefused(error)) {
      dependencies.stderr.write(`To get every row again, delete the cursor ${place.file}\n`)
    }
    throw error
  }
}

/** Writes a report to stdout and the result to stderr. */
async function printReport(
  client: CounterfoilClient,
  request: ReportRequest,
  { stdout, stderr, signal, nowMs }: Dependencies,
): Promise<void> {
  const startMs = nowMs()
  const { body, completed, fileName: _, ...head } = await client.report(request, {}, { signal })
  try {
    await pipeline(body, stdout, { end: false })
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
    const message = `cannot write to standard output: ${cause.message}`
    throw new FileError(message, { requestId: head.runId, cause })
  }
  const received = { file: STANDARD_OUTPUT, ...head, ...(await completed) }
  stderr.write(describeReceived({ ...received, seconds: secondsSince(startMs, nowMs) }))
}

function secondsSince(startMs: number, nowMs: Dependencies['nowMs']): number {
  return Math.round(nowMs() - startMs) / 1000
}
