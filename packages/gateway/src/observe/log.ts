import { holdsCardNumber } from '@counterfoil/protocol'
import { type DestinationStream, pino } from 'pino'
import { GatewayError } from '@counterfoil/common'

/** The level of a log. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** The log line of a request. It never holds a header, a body, a query or a signature. */
export interface RequestLine {
  readonly requestId: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number
  /** `reply` is any other JSON reply. `aborted` means that the connection closed before the answer was complete. */
  readonly outcome: 'report' | 'refusal' | 'problem' | 'reply' | 'aborted'
  /** The code of the problem or refusal. */
  readonly code?: string | undefined
  /** The step of verification that failed. */
  readonly step?: string | undefined
  /** The login of the caller. For a refusal, the login that the request names. */
  readonly login?: string | undefined
  /** The id of the view session. */
  readonly viewSession?: string | undefined
  /** The key that signed the request, and its fingerprint. */
  readonly keyId?: string | undefined
  readonly fingerprint?: string | undefined
  readonly report?: string | undefined
  /** The format of the report. */
  readonly format?: string | undefined
  /** The form operation, and the serial number of its answer. */
  readonly operation?: string | undefined
  readonly serialNumber?: string | undefined
  readonly rows?: number | undefined
  readonly bytes?: number | undefined
  readonly firstByteMs?: number | undefined
  /** The trace that the caller's `traceparent` names: 32 hex digits. */
  readonly traceId?: string | undefined
  readonly durationMs: number
}

/** The gateway's log. Each call writes one line of JSON. */
export interface Log {
  request(line: RequestLine): void
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
/** 19 digits, percent-encoded twice, with as many characters between them. */
const CARD_NUMBER_LENGTH_MAX = 19 * 6
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
    request: (line) => logger.info(requestFields(line), 'request'),
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

/** Copies the known fields only, because the object may hold others. */
function requestFields(line: RequestLine): RequestLine {
  return {
    requestId: line.requestId,
    method: line.method,
    path: truncateAndMask(line.path.replace(/[?#].*$/s, ''), maskPath, NAME_LENGTH_MAX),
    status: line.status,
    outcome: line.outcome,
    code: line.code,
    step: line.step,
    login:
      line.login === undefined
        ? undefined
        : truncateAndMask(line.login, maskNumbers, NAME_LENGTH_MAX),
    viewSession: line.viewSession,
    keyId: line.keyId,
    fingerprint: line.fingerprint,
    report:
      line.report === undefined
        ? undefined
        : truncateAndMask(line.report, maskNumbers, NAME_LENGTH_MAX),
    format: line.format,
    operation: line.operation,
    serialNumber: line.serialNumber,
    rows: line.rows,
    bytes: line.bytes,
    firstByteMs: line.firstByteMs,
    // A caller chooses the trace id. Masked digits would name another trace.
    traceId: hidesCardNumber(line.traceId ?? '') ? undefined : line.traceId,
    durationMs: line.durationMs,
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
    message: truncateAndMask(withoutValues(error.message), maskNumbers, MESSAGE_LENGTH_MAX),
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

/** Masks possible card numbers. The work is linear: each match has at most 19 digits. */
function maskNumbers(text: string): string {
  const masked = text.replaceAll(/\p{Nd}(?:[ -]?\p{Nd}){11,18}/gu, (digits) =>
    '*'.repeat(digits.length),
  )
  return holdsCardNumber(masked) ? masked.replaceAll(/[\p{Nd}\p{No}]/gu, '*') : masked
}

/** Whether a part of a run of digits is a card number. */
function hidesCardNumber(text: string): boolean {
  return (text.match(/\d{12,}/g) ?? []).some((digits) => {
    const starts = Array.from({ length: digits.length - 11 }, (_, start) => digits.slice(start))
    return starts.some((rest) => {
      const parts = Array.from({ length: 8 }, (_, more) => rest.slice(0, 12 + more))
      return parts.some(holdsCardNumber)
    })
  })
}

const ENCODED_BYTE_OR_DIGIT = /%[\da-f]{2}|[\p{Nd}\p{No}]/giu

/** Masks possible card numbers in a path, also if they are percent-encoded once or twice. */
function maskPath(path: string): string {
  const once = decodePercent(path)
  const isHidden = [once, decodePercent(once)].some((text) => {
    return text !== path && maskNumbers(text) !== text
  })
  if (!isHidden) return maskNumbers(path)
  return path.replaceAll(ENCODED_BYTE_OR_DIGIT, (match) => '*'.repeat(match.length))
}

/** Decodes all well-formed percent-encoding. `decodeURIComponent` would throw at a malformed byte. */
function decodePercent(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) => {
    return Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8')
  })
}

/**
 * Truncates a text, then masks it. A stranger chooses the length, and masking costs much more than truncating. Digits
 * at the end may be the first digits of a card number, so they are dropped.
 */
function truncateAndMask(text: string, mask: (text: string) => string, lengthMax: number): string {
  if (text.length <= lengthMax) return mask(text)
  const tailAt = lengthMax - CARD_NUMBER_LENGTH_MAX
  const tail = text.slice(tailAt, lengthMax).replace(/[^\p{L}]+$/u, '')
  return `${mask(text.slice(0, tailAt) + tail)}…`
}
