import { type GatewayError, isProblemCode } from '../errors.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../observe/log.ts'
import type { Outcome, ReceivedRequest } from '../outcome.ts'
import { problemOf } from './malformed.ts'
import type { BodyMemory } from './read-body.ts'
import { type AcceptedBody, receive } from './receive.ts'
import { replyTo, sendReply, sendReport } from './reply.ts'
import type { UnsentBytes } from './report-writer.ts'
import { noteOutcome, type Trace } from './trace.ts'

/** What becomes of the requests of a signed path. */
export interface SignedPath {
  readonly body: AcceptedBody
  /** `signal` ends what runs. */
  readonly handle: (request: ReceivedRequest, trace: Trace, signal: AbortSignal) => Promise<Outcome>
  /** What a refusal comes with: 200 where reports are asked for (specification, "Errors"), 403 elsewhere. */
  readonly refusalStatus: 200 | 403
  /** What every answer of the path says beside its own headers. */
  readonly headers: Readonly<Record<string, string>>
}

/** What answering takes from around it. */
interface AnswerContext {
  readonly log: Log
  readonly trace: Trace
  readonly memory: BodyMemory
  readonly unsent: UnsentBytes
  readonly signal: AbortSignal
  /** Called when the request has arrived in full. */
  readonly onReceived: () => void
}

/** Answers a signed request: the one place that turns its outcome into bytes. */
export async function answer(
  path: SignedPath,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  context: AnswerContext,
): Promise<void> {
  const { log, trace, unsent, signal } = context
  const { id: requestId } = request
  const startedAt = performance.now()
  try {
    for (const [name, value] of Object.entries(path.headers)) response.setHeader(name, value)
    const outcome = await outcomeOf(path, request, context)
    noteOutcome(trace, outcome)
    if (outcome.kind === 'problem' && isForTheOperator(outcome.error)) {
      log.error(`request ${requestId} failed`, outcome.error)
    }
    if (outcome.kind !== 'report') {
      await sendReply(request.raw, response, replyTo(outcome, requestId, path.refusalStatus))
      return
    }
    const { firstByteMs, ...sent } = await sendReport(response, outcome, startedAt, unsent)
    Object.assign(trace, { ...sent, firstByteMs: Math.round(firstByteMs) })
  } catch (error) {
    // Who goes away is no failure of ours.
    if (error !== signal.reason) log.error(`request ${requestId} was cut off`, error)
    response.destroy()
  }
}

/** Receives a request and handles it. What is wrong with its body is an outcome too. */
async function outcomeOf(
  { body, handle }: SignedPath,
  request: FastifyRequest,
  { trace, memory, signal, onReceived }: AnswerContext,
): Promise<Outcome> {
  try {
    const received = await receive(request, body, { memory, signal })
    onReceived()
    try {
      return await handle(received, trace, signal)
    } finally {
      received.releaseBody?.()
    }
  } catch (error) {
    if (error === signal.reason) throw error
    return { kind: 'problem', error: problemOf(error) }
  }
}

/** Whether more is known of a problem than its caller is told. */
function isForTheOperator({ code, cause }: GatewayError): boolean {
  return cause !== undefined || !isProblemCode(code)
}
