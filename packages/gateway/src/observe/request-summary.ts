import type { RequestLine } from './log.ts'

/** Everything that happened to one request. */
export interface RequestSummary extends RequestLine {
  /** The pattern of the path, which has few values. Absent if the gateway does not serve the path. */
  readonly route?: string | undefined
  /** Whether the gateway cut the report, because it broke. */
  readonly wasCut?: boolean
}

/** Adds to the summary of a request. No member holds a header, a body, a query or a signature. */
export type Note = (fields: Partial<RequestSummary>) => void

/** Learns what happens to requests. */
export interface RequestObserver {
  /** Called when the answer has ended, complete or not. */
  readonly onEnd: (summary: RequestSummary) => void
  /** Called at once with an error that the answer does not show. */
  readonly onError: (message: string, error: unknown) => void
}
