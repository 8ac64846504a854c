/**
 * The beginning of a refusal's message. A refusal at the report URL has status 200, so clients must check the body too
 * (specification, "Errors").
 */
export const REFUSAL_PREFIX = 'You are not authorised'

/** The media type of a refusal. */
export const REFUSAL_MEDIA_TYPE = 'text/plain'

/** The media type by which a caller asks for a refusal as JSON. No other `Accept` changes the text of a refusal. */
export const REFUSAL_JSON_MEDIA_TYPE = 'application/vnd.counterfoil.refusal+json'

/** The media type of a problem (RFC 9457, section 3). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

/** One fault of a request: its place, and what was expected there. */
export interface ProblemFault {
  /** The field, as a JSON pointer into the request body (RFC 6901). The empty string is the body itself. */
  readonly pointer: string
  readonly expected: string
}

/** A problem as JSON (RFC 9457), with a stable code, the request's id, and the faults of the request's fields. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly requestId: string
  readonly errors?: readonly ProblemFault[]
}

/** The headers and trailers of reports: the proof of completeness, the request's id, and facts of the report. */
export const HEADERS = {
  requestId: 'Counterfoil-Request-Id',
  rows: 'Counterfoil-Rows',
  replaced: 'Counterfoil-Replaced',
  newestRow: 'Counterfoil-Newest-Row',
  timezone: 'Counterfoil-Timezone',
  reprDigest: 'Repr-Digest',
} as const
