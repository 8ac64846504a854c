import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Publish } from '../observe/events.ts'
import type { Outcome, ReceivedRequest } from '../outcome.ts'
import { problemOf } from './malformed.ts'
import type { BodyMemory } from './read-body.ts'
import { type AcceptedBody, receive } from './receive.ts'
import { replyTo, sendReply, sendReport } from './reply.ts'
import type { UnsentBytes } from './report-writer.ts'
import { publishOutcome } from './watch-request.ts'

/** What becomes of the requests of a signed path. */
export interface SignedPath {
  readonly body: AcceptedBody
  /** `signal` ends what runs. */
  readonly handle: (request: ReceivedRequest, signal: AbortSignal) => Promise<Outcome>
  /** What a refusal comes with: 200 where reports are asked for (specification, "Errors"), 403 elsewhere. */
  readonly refusalStatus: 200 | 403
  /** What every answer of the path says beside its own headers. */
  readonly headers: Readonly<Record<string, string>>
}

/** What answering takes from around it. */
interface AnswerContext {
  readonly publish: Publish
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
  const { publish, unsent, signal } = context
  const { id: requestId } = request
  const startedAt = performance.now()
  try {
    for (const [name, value] of Object.entries(path.headers)) response.setHeader(name, value)
    const outcome = await outcomeOf(path, request, context)
    publishOutcome(publish, outcome)
    if (outcome.kind !== 'report') {
      await sendReply(request.raw, response, replyTo(outcome, requestId, path.refusalStatus))
      return
    }
    publish({ kind: 'started', firstByteMs: Math.round(performance.now() - startedAt) })
    publish({ kind: 'sent', ...(await sendReport(response, outcome, unsent)) })
  } catch (error) {
    // Who goes away is no failure of ours.
    if (error !== signal.reason) publish({ kind: 'cut', error })
    response.destroy()
  }
}

/** Receives a request and handles it. What is wrong with its body is an outcome too. */
async function outcomeOf(
  { body, handle }: SignedPath,
  request: FastifyRequest,
  { publish, memory, signal, onReceived }: AnswerContext,
): Promise<Outcome> {
  try {
    const received = await receive(request, body, { memory, signal, publish })
    onReceived()
    try {
      return await handle(received, signal)
    } finally {
      received.releaseBody?.()
    }
  } catch (error) {
    if (error === signal.reason) throw error
    return { kind: 'problem', error: problemOf(error) }
  }
}
