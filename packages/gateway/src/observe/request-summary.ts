/** Everything that happened to one request. It never holds a header, a body, a query or a signature. */
export interface RequestSummary {
  readonly requestId: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number
  /** `reply` is any other JSON reply. `aborted` means that the connection closed before the answer was complete. */
  readonly outcome: 'report' | 'refusal' | 'problem' | 'reply' | 'aborted'
  readonly code?: string | undefined
  readonly step?: string | undefined
  /** The login of the caller. For a refusal, the login that the request names. */
  readonly login?: string | undefined
  readonly viewSession?: string | undefined
  /** The key that signed the request, and its fingerprint. */
  readonly keyId?: string | undefined
  readonly fingerprint?: string | undefined
  readonly report?: string | undefined
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
  /** The pattern of the path, which has few values. Absent if the gateway does not serve the path. */
  readonly route?: string | undefined
  /** Whether the gateway cut the report, because it broke. */
  readonly wasCut?: boolean
}

/** Adds to the summary of a request. */
export type Note = (fields: Partial<RequestSummary>) => void

/** Learns what happens to requests. */
export interface RequestObserver {
  /** Called when the answer has ended, complete or not. */
  readonly onEnd: (summary: RequestSummary) => void
  /** Called at once with an error that the answer does not show. */
  readonly onError: (message: string, error: unknown) => void
}
