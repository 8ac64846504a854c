import type { ErrorResponse, Problem } from '@counterfoil/protocol'

/**
 * What went wrong: `settings` (endpoint or key; nothing was sent), `refused` (login, key or signature),
 * `problem` (what was asked), `busy` (ask again later), `connection` (no answer, or silence), `incomplete`
 * (cut short, or without the proof of completeness), `digest-mismatch` and `rows-mismatch` (the proof does not
 * agree with what came), `unexpected-answer` (not a gateway's), `file` (the report could not be kept).
 */
export type ReportErrorCode =
  | 'settings'
  | 'refused'
  | 'problem'
  | 'busy'
  | 'connection'
  | 'incomplete'
  | 'digest-mismatch'
  | 'rows-mismatch'
  | 'unexpected-answer'
  | 'file'

/** What else is known of a failure. */
export interface ReportErrorDetails extends ErrorOptions {
  /** What the gateway's operator finds the request by. */
  readonly requestId?: string | undefined
  /** Of `refused`: the gateway's whole message. */
  readonly refusal?: string | undefined
  /** Of `problem`, and of `busy` where it came with one. */
  readonly problem?: Problem | undefined
  /** Of `problem` and `busy`, where it is an operation that was not accepted. */
  readonly answer?: ErrorResponse | undefined
  /** Of `connection`: that there was none, so that the request never left. */
  readonly nothingSent?: boolean | undefined
  /** Of `busy`: when to ask again, where the gateway says so. */
  readonly retryAfterSeconds?: number | undefined
}

/** The one error of this package. A request that the caller aborts fails with the signal's own reason instead. */
export class ReportError extends Error {
  override readonly name = 'ReportError'
  readonly code: ReportErrorCode
  readonly requestId: string | undefined
  readonly refusal: string | undefined
  readonly problem: Problem | undefined
  readonly answer: ErrorResponse | undefined
  readonly nothingSent: boolean
  readonly retryAfterSeconds: number | undefined

  constructor(code: ReportErrorCode, message: string, details: ReportErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.code = code
    this.requestId = details.requestId
    this.refusal = details.refusal
    this.problem = details.problem
    this.answer = details.answer
    this.nothingSent = details.nothingSent ?? false
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}
