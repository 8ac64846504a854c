/** The limits of a run of the checks. */
export const CONFORMANCE_LIMITS = {
  /** Requests of one run. A check that would exceed it is skipped. */
  requestsMax: 400,
  /** Time for all checks. */
  totalMs: 15 * 60 * 1000,
  /** Time for one request and its answer. */
  requestMs: 60_000,
  /** Requests without an answer, one after the other, that end a run. */
  unansweredMax: 3,
  /** Bytes of one answer. The report of the checks must be small. */
  answerBytesMax: 16 * 1024 * 1024,
  /** The waits for a busy gateway (`Retry-After`) before one request: how many, and how long each. */
  busyRetriesMax: 3,
  busyWaitMs: 10_000,
  /** Characters of an answer that a result shows. */
  shownLengthMax: 300,
} as const
