import type { RequestEvent, RequestEvents } from './events.ts'
import type { RequestLine } from './log.ts'

/** Everything that happened to one request. */
export interface RequestSummary extends RequestLine {
  /** The pattern of the path, which has few values. Absent if the gateway does not serve the path. */
  readonly route?: string | undefined
  /** Whether the gateway cut the report, because it broke. */
  readonly wasCut?: boolean
}

type Summary = Omit<RequestSummary, 'status' | 'durationMs'>

/** Collects the events of each request, and passes their summary on when the answer ends. */
export function summariseRequests(
  events: RequestEvents,
  onEnd: (summary: RequestSummary) => void,
): void {
  const summaries = new Map<string, Summary>()
  events.subscribe((event) => {
    const { requestId } = event
    const summary = summaries.get(requestId)
    if (event.kind === 'received') {
      const { method, path, route, traceId } = event
      summaries.set(requestId, { requestId, method, path, route, traceId, outcome: 'reply' })
    } else if (event.kind === 'ended') {
      summaries.delete(requestId)
      const { status, durationMs, isComplete } = event
      if (!summary) return
      onEnd({ ...summary, ...(!isComplete && { outcome: 'aborted' }), status, durationMs })
    } else if (summary) {
      summaries.set(requestId, { ...summary, ...fieldsOf(event) })
    }
  })
}

/** Returns the fields that an event adds to the summary of its request. */
function fieldsOf(event: RequestEvent): Partial<Summary> {
  switch (event.kind) {
    case 'authenticated': {
      const { login, viewSession, keyId, fingerprint } = event
      return { login, viewSession, keyId, fingerprint }
    }
    case 'refused': {
      const { step, code, claimedLogin } = event
      return {
        outcome: 'refusal',
        step,
        code,
        ...(claimedLogin !== undefined && { login: claimedLogin }),
      }
    }
    case 'asked':
      return { report: event.report, format: event.format }
    case 'operated': {
      const { operation, serialNumber, code } = event
      return { operation, serialNumber, code }
    }
    case 'failed':
      return { outcome: 'problem', code: event.code }
    case 'started':
      return { outcome: 'report', firstByteMs: event.firstByteMs }
    case 'sent':
      return { bytes: event.bytes, rows: event.rows }
    case 'cut':
      return { wasCut: true }
    case 'received':
    case 'ended':
      break
  }
  return {}
}
