import type { ErrorResponse, Problem } from '@counterfoil/protocol'

/** What every error may have. */
export interface ErrorDetails extends ErrorOptions {
  /** The id by which the gateway's operator finds the request. */
  readonly requestId?: string | undefined
}

abstract class ClientError extends Error {
  /** The id by which the gateway's operator finds the request. */
  readonly requestId: string | undefined

  constructor(message: string, { requestId, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.requestId = requestId
  }
}

/**
 * The endpoint, the login, the key or another option is malformed or missing, or the report does not take the option.
 * The client requested neither a report nor an operation.
 */
export class InvalidSettings extends ClientError {
  override readonly name = 'InvalidSettings'
  readonly code = 'invalid-settings'
}

/** The gateway, or a proxy before it, did not accept the login, the key or the signature. */
export class NotAuthorised extends ClientError {
  override readonly name = 'NotAuthorised'
  readonly code = 'not-authorised'
  /** The complete text of the gateway. Undefined if a proxy answered. */
  readonly refusal: string | undefined

  constructor(message: string, refusal: string | undefined, details?: ErrorDetails) {
    super(message, details)
    this.refusal = refusal
  }
}

/** The request is invalid, or the gateway failed. `problem` says what is wrong, and where. */
export class ReportRefused extends ClientError {
  override readonly name = 'ReportRefused'
  readonly code = 'report-refused'
  readonly problem: Problem

  constructor(problem: Problem, details?: ErrorDetails) {
    super(problem.detail, details)
    this.problem = problem
  }
}

/** The gateway did not accept an operation. `answer` says why. */
export class OperationRefused extends ClientError {
  override readonly name = 'OperationRefused'
  readonly code = 'operation-refused'
  readonly answer: ErrorResponse

  constructor(answer: ErrorResponse, details?: ErrorDetails) {
    super(answer['error-message'], details)
    this.answer = answer
  }
}

/** The gateway is busy (status 503), or the requests of your login are too many (429). */
export class Busy extends ClientError {
  override readonly name = 'Busy'
  readonly code = 'busy'
  /** When to retry, if the gateway says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, retryAfterSeconds: number | undefined, details?: ErrorDetails) {
    super(message, details)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** No connection, or the connection broke before an answer. */
export class NetworkError extends ClientError {
  override readonly name = 'NetworkError'
  readonly code = 'network-error'
  /** Whether the connection failed before the client sent anything. */
  readonly nothingSent: boolean

  constructor(message: string, nothingSent: boolean, details?: ErrorDetails) {
    super(message, details)
    this.nothingSent = nothingSent
  }
}

/** The gateway sent nothing for `idleTimeoutMs`. */
export class TimedOut extends ClientError {
  override readonly name = 'TimedOut'
  readonly code = 'timed-out'
  readonly idleTimeoutMs: number
  /** Whether the connection failed before the client sent anything. */
  readonly nothingSent: boolean

  constructor(idleTimeoutMs: number, nothingSent: boolean, details?: ErrorDetails) {
    super(`the gateway sent nothing for ${idleTimeoutMs / 1000} s`, details)
    this.idleTimeoutMs = idleTimeoutMs
    this.nothingSent = nothingSent
  }
}

/** The answer is not complete, or its proof is missing. */
export class Truncated extends ClientError {
  override readonly name = 'Truncated'
  readonly code = 'truncated'
  /** `cut`: the connection broke. `unproved`: the proof is missing or malformed. `cancelled`: the reader left. */
  readonly reason: 'cut' | 'unproved' | 'cancelled'

  constructor(message: string, reason: Truncated['reason'], details?: ErrorDetails) {
    super(message, details)
    this.reason = reason
  }
}

/** The bytes or the rows that arrived are not those that the gateway sent. */
export class DigestMismatch extends ClientError {
  override readonly name = 'DigestMismatch'
  readonly code = 'digest-mismatch'
  /** What differs: the SHA-256 of the bytes, or the number of rows. */
  readonly of: 'sha256' | 'rows'

  constructor(message: string, of: DigestMismatch['of'], details?: ErrorDetails) {
    super(message, details)
    this.of = of
  }
}

/** The answer is not from a gateway, or is a redirect, which the client never follows. */
export class UnexpectedBody extends ClientError {
  override readonly name = 'UnexpectedBody'
  readonly code = 'unexpected-body'
  /** The status of the answer. */
  readonly status: number

  constructor(message: string, status: number, details?: ErrorDetails) {
    super(message, details)
    this.status = status
  }
}

/** The file or another output could not be written, or the file already exists. */
export class FileError extends ClientError {
  override readonly name = 'FileError'
  readonly code = 'file-error'
}

/** Every error of the client. Its `code` tells which error it is, and so which fields it has. */
export type CounterfoilError =
  | InvalidSettings
  | NotAuthorised
  | ReportRefused
  | OperationRefused
  | Busy
  | NetworkError
  | TimedOut
  | Truncated
  | DigestMismatch
  | UnexpectedBody
  | FileError

/** The code of an error. */
export type ErrorCode = CounterfoilError['code']

/**
 * Tells the errors of the client from others. If you abort a request, it fails with the signal's own reason instead.
 *
 * @example
 * const client = new CounterfoilClient({ endpoint, login, controlKey: 'wrong' })
 * const error = await client.report('transactions-list').catch((cause) => cause)
 * error instanceof CounterfoilError // true
 * error.code // 'not-authorised'
 */
export const CounterfoilError: { [Symbol.hasInstance](value: unknown): value is CounterfoilError } =
  {
    [Symbol.hasInstance]: (value): value is CounterfoilError => value instanceof ClientError,
  }
