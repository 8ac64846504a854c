import type { RefusalCode, VerificationStep } from '@counterfoil/signing'
import { GatewayError } from './errors.ts'
import type { Publish } from './observe/events.ts'

/** A request as it was received: everything that authentication and the report need of it, and nothing of HTTP's machinery. */
export interface ReceivedRequest {
  readonly requestId: string
  readonly method: string
  /** Path and query, as they were sent. */
  readonly target: string
  /** Every `Authorization` header of the request. */
  readonly authorization: string | readonly string[] | undefined
  readonly contentType: string | undefined
  /** The raw bytes, as they were signed. */
  readonly body: Uint8Array
  /** Counts the body's memory as free: a handler that goes on for long calls it when it has read the body. */
  readonly releaseBody?: () => void
  /** Tells what happens to the request. */
  readonly publish: Publish
}

/** Who is asking is not accepted (specification, "Errors"). */
export interface Refusal {
  readonly kind: 'refusal'
  /** Begins with `You are not authorised`. */
  readonly message: string
  readonly step: VerificationStep
  /** What was wrong at that step (docs/signing.md, "Refusal codes"), for the operator's log alone. */
  readonly code: RefusalCode
  /** The login that the request names, for the operator's log alone. */
  readonly claimedLogin: string | undefined
}

/** Who is asking is accepted, or does not matter; what is asked cannot be answered. */
export interface Failure {
  readonly kind: 'problem'
  readonly error: GatewayError
  /** What tells of it as JSON, where the caller expects another shape than a problem's. */
  readonly content?: object
}

/** What a report was, once it is whole. */
export interface ReportTotals {
  readonly rows: number
  /** Base64. */
  readonly sha256: string
}

/** A report that has begun: its first bytes are there. */
export interface ReportStream {
  readonly kind: 'report'
  readonly contentType: string
  readonly fileName: string
  /** The time of the newest row that the caller may see; `none` where it sees no row. */
  readonly newestRow: string
  /** The report's bytes; returns the totals after the last of them; throws when the report breaks. */
  readonly body: AsyncGenerator<Uint8Array, ReportTotals>
}

/** A JSON reply that is no report: an operation's answer, the catalogue. */
export interface JsonReply {
  readonly kind: 'reply'
  readonly content: object
  /** 200 by default. */
  readonly status?: number
}

/** What becomes of a request, as a value. */
export type Outcome = Refusal | Failure | ReportStream | JsonReply

/** What was thrown on a request's way, as its outcome. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof GatewayError) return { kind: 'problem', error: thrown }
  const error = new GatewayError('internal-error', 'the gateway failed', { cause: thrown })
  return { kind: 'problem', error }
}
