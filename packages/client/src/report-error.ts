import type { ErrorResponse, Problem } from '@counterfoil/protocol'

/**
 * What went wrong:
 *
 * - `settings`: the endpoint or the key is malformed; nothing was sent
 * - `refused`: the gateway refused the login, the key or the signature
 * - `problem`: the request asks for something that the gateway does not do
 * - `busy`: the gateway is busy; retry later
 * - `connection`: the gateway did not answer, or sent nothing for too long
 * - `incomplete`: the answer was cut short, or came without the proof that it is complete
 * - `digest-mismatch`, `rows-mismatch`: the proof does not agree with the bytes
 * - `unexpected-answer`: the answer is not a gateway's
 * - `file`: the report could not be saved
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

/** The details of a {@link ReportError}. */
export interface ReportErrorDetails extends ErrorOptions {
  /** The id by which the gateway's operator finds the request. */
  readonly requestId?: string | undefined
  /** With `refused`: the complete text from the gateway. */
  readonly refusal?: string | undefined
  /** With `problem`, and with `busy` if the gateway sent one. */
  readonly problem?: Problem | undefined
  /** With `problem` and `busy`: the gateway's answer to an operation that it did not accept. */
  readonly answer?: ErrorResponse | undefined
  /** With `connection`: whether the connection failed before the request was sent. */
  readonly nothingSent?: boolean | undefined
  /** With `busy`: when to retry, if the gateway says so. */
  readonly retryAfterSeconds?: number | undefined
}

/**
 * The only error class of this package. If you abort a request, it fails with the signal's own reason instead.
 *
 * @example
 * const client = await createClient({ endpoint, login, controlKey: 'wrong' })
 * const report = client.requestReport({ reportIdentifier: 'transactions-list' })
 * const error = await report.catch((cause) => cause)
 * error instanceof ReportError // true
 * error.code // 'refused'
 */
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
