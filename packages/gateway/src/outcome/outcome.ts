import type { ControlTotal } from '@counterfoil/protocol'
import type { RefusalCode, VerificationStep } from '@counterfoil/signing'
import { GatewayError } from '@counterfoil/common'
import type { Note } from '../observe/request-summary.ts'

/** A received request: everything that authentication and the handlers need, without types of the HTTP server. */
export interface ReceivedRequest {
  readonly requestId: string
  readonly method: string
  /** Path and query, exactly as sent. */
  readonly target: string
  /** Every `Authorization` header of the request. */
  readonly authorization: string | readonly string[] | undefined
  readonly contentType: string | undefined
  /** The headers that a browser sets by itself, for the requests of a view session. */
  readonly browser?: {
    readonly cookie: string | undefined
    readonly origin: string | undefined
    /** `Sec-Fetch-Site` (Fetch Metadata Request Headers). */
    readonly fetchSite: string | undefined
  }
  /** The header `Host`. No check uses it: it only helps to name a caller's mistake. */
  readonly host?: string | undefined
  readonly accept?: string | undefined
  /** The raw bytes, which the signature may cover. */
  readonly body: Uint8Array
  /** The path does not take a body of this media type or coding. Only an authenticated caller learns so. */
  readonly bodyFault?: GatewayError | undefined
  /** Frees the body's memory. A handler that runs for long calls it as soon as it has read the body. */
  readonly releaseBody?: () => void
  readonly note: Note
}

/** The gateway does not accept the caller's signature (specification, "Errors"). */
export interface Refusal {
  readonly kind: 'refusal'
  /** The text for the caller, which begins with `You are not authorised`. */
  readonly message: string
  /** The same as JSON, if the caller asks for it by its media type. */
  readonly content?: object | undefined
  readonly step: VerificationStep
  /** What was wrong at that step (docs/signing.md, "Refusal codes"), for the operator's log only. */
  readonly code: RefusalCode
  /** The login that the request names, for the operator's log only. */
  readonly claimedLogin: string | undefined
}

/** The gateway cannot answer the request, for another reason than its signature. */
export interface Failure {
  readonly kind: 'problem'
  readonly error: GatewayError
  /** The JSON body, if the caller expects another shape than a problem's. */
  readonly content?: object
}

export interface ReportTotals {
  readonly rows: number
  /** How many characters became `?`, because the report's encoding lacks them. */
  readonly replaced: number
  readonly sha256: string
}

/** How a report ended. */
export type ReportEnd =
  /** The last byte was handed to the connection. */
  | {
      readonly outcome: 'complete'
      readonly bytes: number
      readonly totals: ReportTotals
      readonly contentCoding?: string | undefined
    }
  /** The caller left, or the gateway or the engine failed. */
  | { readonly outcome: 'aborted' | 'cut' }

/** A report whose first bytes have arrived. */
export interface ReportStream {
  readonly kind: 'report'
  readonly contentType: string
  readonly fileName: string
  /** The time zone of the report's bounds and times. */
  readonly timezone: string
  /** The time of the newest row that the caller may see, or `none` if there is no such row. */
  readonly newestRow: string
  /** The ledger has what the databases of all syncs had at this time. `none` before the first sync. */
  readonly syncedAt?: string | undefined
  /** The `changedSince` of the next run, if the report takes it. */
  readonly cursor?: string
  /** The sums of the file's amounts, if the request asks for them and they are known. */
  readonly controlTotals?: readonly ControlTotal[]
  /** Called once, when the last byte is handed to the connection, or when the report is cut. */
  readonly onEnd: (end: ReportEnd) => void
  /** Yields the report's bytes, then returns the totals. Throws if the report breaks. */
  readonly body: AsyncGenerator<Uint8Array, ReportTotals>
}

/** Any other answer. */
export interface Answer {
  readonly kind: 'reply'
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** `application/json` by default. */
  readonly contentType?: string
  /** An object is sent as JSON, a text as it is. */
  readonly content: object | string
}

export type Outcome = Refusal | Failure | ReportStream | Answer

/** Whether a caller asks for an answer of a media type by its name. */
export function asksFor(
  mediaType: string,
  { accept = '' }: Pick<ReceivedRequest, 'accept'>,
): boolean {
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    // A weight of 0 means "not acceptable" (RFC 9110, 12.4.2).
    return type === mediaType && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one))
  })
}

/** Returns the outcome for an error that was thrown while the gateway handled a request. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof GatewayError) return { kind: 'problem', error: thrown }
  const error = new GatewayError('internal-error', 'The gateway failed.', { cause: thrown })
  return { kind: 'problem', error }
}
