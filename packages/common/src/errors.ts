import type { ProblemFault } from '@counterfoil/protocol'
import { LIMITS } from './limits.ts'

interface ProblemKind {
  readonly status: number
  readonly title: string
}

/** Every problem that a caller can get, with its status and title (docs/errors.md lists each). */
export const PROBLEMS = {
  'malformed-http': { status: 400, title: 'The request is not well-formed HTTP' },
  'malformed-json': { status: 400, title: 'The body is not well-formed JSON' },
  'session-refused': { status: 401, title: 'There is no such view session' },
  'cross-site-request': { status: 403, title: 'The request comes from another site' },
  'not-found': { status: 404, title: 'The path does not exist' },
  'unknown-run': { status: 404, title: 'There is no such run of this caller' },
  'method-not-allowed': { status: 405, title: 'This path does not take this method' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body has another media type or coding' },
  'invalid-field': { status: 422, title: 'A field of the report request is not valid' },
  'unknown-report': { status: 422, title: 'There is no such report for this caller' },
  'invalid-parameter': { status: 422, title: 'A parameter of the report is not valid' },
  'invalid-filter': { status: 422, title: "A filter names something that is not the caller's" },
  'misdirected-request': { status: 421, title: 'The request is for another address' },
  'too-many-reports': { status: 429, title: 'Too many of your reports are running' },
  'headers-too-large': { status: 431, title: 'The headers are too large' },
  'internal-error': { status: 500, title: 'The gateway failed' },
  'engine-failed': { status: 500, title: 'The engine failed' },
  'engine-limit': { status: 500, title: 'The report needs more than a report may use' },
  'unsupported-transfer-coding': { status: 501, title: 'The body has an unsupported coding' },
  'gateway-busy': { status: 503, title: 'The gateway receives too much at once' },
  'engine-busy': { status: 503, title: 'Too many reports are running' },
  'not-synced': { status: 503, title: 'The data does not go to the end of the period yet' },
  'store-busy': { status: 503, title: 'The store is not available' },
  'shutting-down': { status: 503, title: 'The gateway is shutting down' },
  'http-version': { status: 505, title: 'The gateway speaks HTTP/1.1 only' },
} as const satisfies Record<string, ProblemKind>

/** The stable code of a problem. */
export type ProblemCode = keyof typeof PROBLEMS

/** The codes of errors for the operator. Callers never see them. */
const OPERATOR_ERROR_CODES = [
  'config',
  'control',
  'credentials',
  'store',
  'template',
  'ledger',
  'port',
] as const

/** See {@link OPERATOR_ERROR_CODES}. */
export type OperatorErrorCode = (typeof OPERATOR_ERROR_CODES)[number]

/** The code of a {@link GatewayError}. */
export type ErrorCode = ProblemCode | OperatorErrorCode

/** The error that the gateway throws. Its code decides how the gateway handles it. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: ErrorCode
  /** The faulty fields. */
  readonly faults: readonly ProblemFault[]

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly faults?: readonly ProblemFault[] } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.faults = options.faults ?? []
  }
}

/**
 * Makes the error for faulty fields of a request. Its message and its `faults` name the first faults.
 *
 * @param count how many faults there are, if `faults` holds only the first ones
 */
export function fieldProblem(
  code: 'invalid-field' | 'unknown-report' | 'invalid-parameter' | 'invalid-filter',
  faults: readonly ProblemFault[],
  count = faults.length,
): GatewayError {
  const shown = faults.slice(0, LIMITS.faultsShownMax)
  const parts = shown.map(({ pointer, expected }) => `${pointer || 'body'}: expected ${expected}`)
  const hiddenCount = count - shown.length
  if (hiddenCount > 0) parts.push(`and ${hiddenCount} more faults`)
  return new GatewayError(code, parts.join('; '), { faults: shown })
}

/** Whether a code is the code of a problem, which a caller can get. */
export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code)
}

/** Whether a text is the code of a `GatewayError`. */
export function isErrorCode(text: string): text is ErrorCode {
  return isProblemCode(text) || OPERATOR_ERROR_CODES.some((code) => code === text)
}

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** The code of an error of the system, such as `ENOENT`. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined
}
