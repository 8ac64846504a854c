import type { RequestEvents } from './events.ts'
import type { Log } from './log.ts'
import { summariseRequests } from './summarise-requests.ts'

/** Logs one line for each request when its answer ends. Logs errors as soon as they happen. */
export function logRequests(events: RequestEvents, log: Log): void {
  events.subscribe((event) => {
    const { requestId } = event
    if (event.kind === 'failed' && event.error)
      log.error(`request ${requestId} failed`, event.error)
    if (event.kind === 'cut') log.error(`request ${requestId} was cut off`, event.error)
  })
  summariseRequests(events, (summary) => log.request(summary))
}
