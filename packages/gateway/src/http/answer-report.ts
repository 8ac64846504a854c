import type { ServerResponse } from 'node:http'
import { type GatewayError, isProblemCode } from '../errors.ts'
import type { Log } from '../observe/log.ts'
import type { ReceivedRequest } from '../outcome.ts'
import { handleReport, type ReportParts } from '../report/handle-report.ts'
import { replyTo, sendReport } from './reply.ts'
import { noteOutcome, type Trace } from './trace.ts'

/** The report endpoint's own: a refusal comes with status 200 (specification, "Errors"). */
const REFUSAL_STATUS = 200

/** Answers a report request: the one place that turns its outcome into bytes. `signal` ends it. */
export async function answerReport(
  { parts, log }: { readonly parts: ReportParts; readonly log: Log },
  request: ReceivedRequest,
  response: ServerResponse,
  trace: Trace,
  signal: AbortSignal,
): Promise<void> {
  const { requestId } = request
  const startedAt = performance.now()
  try {
    const outcome = await handleReport(parts, request, trace, signal)
    noteOutcome(trace, outcome)
    if (outcome.kind === 'problem' && isForTheOperator(outcome.error)) {
      log.error(`request ${requestId} failed`, outcome.error)
    }
    if (outcome.kind !== 'report') {
      const { status, headers, text } = replyTo(outcome, requestId, REFUSAL_STATUS)
      const length = { 'Content-Length': Buffer.byteLength(text) }
      response.writeHead(status, { ...headers, ...length }).end(text)
      return
    }
    const { firstByteMs, ...sent } = await sendReport(response, outcome, startedAt)
    Object.assign(trace, { ...sent, firstByteMs: Math.round(firstByteMs) })
  } catch (error) {
    // Who goes away is no failure of ours.
    if (error !== signal.reason) log.error(`request ${requestId} was cut off`, error)
    response.destroy()
  }
}

/** Whether more is known of a problem than its caller is told. */
function isForTheOperator({ code, cause }: GatewayError): boolean {
  return cause !== undefined || !isProblemCode(code)
}
