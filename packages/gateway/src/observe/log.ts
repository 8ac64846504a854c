import { type DestinationStream, pino } from 'pino'
import { GatewayError } from '@counterfoil/common'
import { maskText, maskUrl, truncateAndMask } from './mask.ts'
import type { RequestSummary } from './request-summary.ts'

/** The level of a log. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** The gateway's log. Each call writes one line of JSON. */
export interface Log {
  request(summary: RequestSummary): void
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  /** Logs the codes and messages of the error and its causes. An error that is no `GatewayError` gets a stack too. */
  error(message: string, error: unknown): void
}

interface LoggedError {
  readonly name: string
  readonly code?: string
  readonly message: string
  readonly at?: readonly string[]
  readonly cause?: LoggedError
}

const UNWRITTEN_BYTES_MAX = 1024 * 1024
/** Limits a text that the caller chooses: a path, a login, a report. */
const NAME_LENGTH_MAX = 300
const MESSAGE_LENGTH_MAX = 1_000
/** The engine may quote a query of some MiB. */
const ENGINE_MESSAGE_LENGTH_MAX = 64 * 1024
const CAUSES_MAX = 5
const FRAMES_MAX = 10

/** Creates a log. It masks possible card numbers (12 to 19 digits) in paths, logins, reports and error messages. */
export function createLog(options: {
  readonly level: LogLevel
  readonly destination: DestinationStream
}): Log {
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination,
  )
  return {
    request: (summary) => logger.info(lineOf(summary), 'request'),
    debug: (message) => logger.debug(message),
    info: (message) => logger.info(message),
    warn: (message) => logger.warn(message),
    error: (message, error) => logger.error({ error: describeError(error) }, message),
  }
}

/**
 * Opens the destination of a log: a file that only its owner can read, or a file descriptor such as 1 for stdout. If a
 * line cannot be written, because the disk is full or the pipe is closed, the line is lost and stderr says so once.
 */
export function openLogDestination(dest: string | number): DestinationStream {
  const options = { dest, sync: true, mode: 0o600, maxLength: UNWRITTEN_BYTES_MAX }
  const destination = pino.destination(options)
  let isReported = false
  destination.on('error', ({ message }: Error) => {
    if (!isReported) console.error(`The log cannot be written: ${message}`)
    isReported = true
  })
  return destination
}

/** The line of a request. Callers choose some of its texts. */
function lineOf(summary: RequestSummary): object {
  const { route: _, wasCut: __, requestId, method, path, status, outcome, ...fields } = summary
  const { login, report, traceId, durationMs } = fields
  return {
    requestId,
    method,
    path: truncateAndMask(path, NAME_LENGTH_MAX, maskUrl),
    status,
    outcome,
    ...fields,
    login: login && truncateAndMask(login, NAME_LENGTH_MAX),
    report: report && truncateAndMask(report, NAME_LENGTH_MAX),
    // Masked digits would name another trace.
    traceId: traceId && maskText(traceId) === traceId ? traceId : undefined,
    durationMs,
  }
}

function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { name: typeof error, message: 'not an error' }
  const { name, cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const isOwn = error instanceof GatewayError
  return {
    name,
    ...(code !== undefined && { code }),
    message: truncateAndMask(withoutValues(error.message), MESSAGE_LENGTH_MAX),
    ...(!isOwn && { at: framesOf(error) }),
    ...(cause !== undefined && depth < CAUSES_MAX && { cause: describeError(cause, depth + 1) }),
  }
}

/**
 * Replaces the texts of an engine's message by `…`. They are values of rows and of callers: the message quotes the
 * query and the value that it could not use.
 */
function withoutValues(message: string): string {
  if (!message.includes('DB::Exception')) return message
  return message
    .slice(0, ENGINE_MESSAGE_LENGTH_MAX)
    .replaceAll(/'(?:[^'\\]|\\.)*(?:'|\\?$)/gs, "'…'")
}

/** Returns the frames of the stack without the lines of the message. */
function framesOf({ stack = '' }: Error): string[] {
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line))
  return frames.slice(0, FRAMES_MAX).map((frame) => frame.trim().slice('at '.length))
}
