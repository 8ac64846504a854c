import type { RequestEvent, RequestEvents } from './events.ts'
import type { Log, RequestLine } from './log.ts'

type Line = Omit<RequestLine, 'status' | 'durationMs'>

/** Logs one line for each request when its answer ends. Logs errors as soon as they happen. */
export function logRequests(events: RequestEvents, log: Log): void {
  const lines = new Map<string, Line>()
  events.subscribe((event) => {
    const { requestId } = event
    if (event.kind === 'failed' && event.error)
      log.error(`request ${requestId} failed`, event.error)
    if (event.kind === 'cut') log.error(`request ${requestId} was cut off`, event.error)
    const line = lines.get(requestId)
    if (event.kind === 'received') {
      const { method, path } = event
      lines.set(requestId, { requestId, method, path, outcome: 'reply' })
    } else if (event.kind === 'ended') {
      lines.delete(requestId)
      const { status, durationMs, isComplete } = event
      if (line)
        log.request({ ...line, ...(!isComplete && { outcome: 'aborted' }), status, durationMs })
    } else if (line) {
      lines.set(requestId, { ...line, ...fieldsOf(event) })
    }
  })
}

/** Returns the fields that an event adds to the line of its request. */
function fieldsOf(event: RequestEvent): Partial<Line> {
  switch (event.kind) {
    case 'authenticated':
      return { login: event.login }
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
      return { report: event.report }
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
    case 'received':
    case 'cut':
    case 'ended':
      break
  }
  return {}
}
