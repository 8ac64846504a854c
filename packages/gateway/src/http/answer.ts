import type { ServerResponse } from 'node:http'
import { type GatewayError, isProblemCode } from '../errors.ts'
import type { Log } from '../observe/log.ts'
import type { Outcome, ReceivedRequest } from '../outcome.ts'
import { replyTo, sendReport } from './reply.ts'
import { noteOutcome, type Trace } from './trace.ts'

/** What becomes of the requests of a signed path. */
export interface SignedPath {
  /** `signal` ends what runs. */
  readonly handle: (request: ReceivedRequest, trace: Trace, signal: AbortSignal) => Promise<Outcome>
  /** What a refusal comes with: 200 where reports are asked for (specification, "Errors"), 403 elsewhere. */
  readonly refusalStatus: 200 | 403
  /** What every answer of the path says beside its own headers. */
  readonly headers: Readonly<Record<string, string>>
}

/** Answers a signed request: the one place that turns its outcome into bytes. */
export async function answer(
  { handle, refusalStatus, headers: ofPath }: SignedPath,
  request: ReceivedRequest,
  response: ServerResponse,
  {
    log,
    trace,
    signal,
  }: { readonly log: Log; readonly trace: Trace; readonly signal: AbortSignal },
): Promise<void> {
  const { requestId } = request
  const startedAt = performance.now()
  try {
    for (const [name, value] of Object.entries(ofPath)) response.setHeader(name, value)
    const outcome = await handle(request, trace, signal)
    noteOutcome(trace, outcome)
    if (outcome.kind === 'problem' && isForTheOperator(outcome.error)) {
      log.error(`request ${requestId} failed`, outcome.error)
    }
    if (outcome.kind !== 'report') {
      const { status, headers, text } = replyTo(outcome, requestId, refusalStatus)
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
