import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { freeMemory } from '../free-memory.ts'
import type { Publish } from '../observe/events.ts'
import type { Outcome, ReceivedRequest, ReportEnd, ReportStream } from '../outcome.ts'
import { chooseCoding, type ContentCoding } from './content-coding.ts'
import { networkOf } from './connections.ts'
import { problemOf } from './malformed.ts'
import type { BodyMemory } from './read-body.ts'
import { type AcceptedBody, receive } from './receive.ts'
import { inBytes, type Reply, replyTo, sendReply, sendReport } from './reply.ts'
import type { UnsentBytes } from './report-writer.ts'
import type { UnreadReplies } from './unread-replies.ts'
import { publishOutcome } from './watch-request.ts'

/** A method that a path may take. */
export type PathMethod = 'GET' | 'POST' | 'DELETE'

/** How the server handles the requests of a signed path. */
export interface SignedPath {
  readonly body: AcceptedBody
  /** Aborting `signal` ends the request. */
  readonly handle: (request: ReceivedRequest, signal: AbortSignal) => Promise<Outcome>
  /** The status of a refusal: 200 on the paths of reports (specification, "Errors"), 403 elsewhere. */
  readonly refusalStatus: 200 | 403
  /** The methods of the path: POST alone by default. */
  readonly methods?: readonly PathMethod[]
  /** Headers that every answer of the path has. */
  readonly headers: Readonly<Record<string, string>>
}

interface AnswerContext {
  readonly publish: Publish
  readonly memory: BodyMemory
  readonly unsent: UnsentBytes
  readonly unread: UnreadReplies
  readonly signal: AbortSignal
  /** Called when the request has arrived in full. */
  readonly onReceived: () => void
}

/** Answers a signed request. Only this function turns an outcome into bytes. */
export async function answer(
  path: SignedPath,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  options: AnswerContext,
): Promise<void> {
  const { unread, signal } = options
  const startedAt = performance.now()
  let caller = networkOf(request.raw.socket.remoteAddress ?? '')
  const publish: Publish = (step) => {
    if (step.kind === 'authenticated') caller = `login ${step.login}`
    options.publish(step)
  }
  const context = { ...options, publish }
  try {
    for (const [name, value] of Object.entries(path.headers)) response.setHeader(name, value)
    const { report, coding, reply } = await contentOf(path, request, context)
    if (report === undefined) {
      unread.hold(caller, response, reply.text.length)
      await sendReply(request.raw, response, reply)
      await isHandedOver(response)
      // The garbage collector would keep hundreds of megabytes of such replies for a while.
      freeMemory(reply.text.buffer)
      return
    }
    publish({ kind: 'started', firstByteMs: Math.round(performance.now() - startedAt) })
    await sendWhole(response, report, coding, context)
  } catch (error) {
    // A caller that disconnects is not a failure of the gateway.
    if (error !== signal.reason) publish({ kind: 'cut', error })
    response.destroy()
  }
}

/** The content of an answer: a report, or a reply in bytes. */
type Content =
  | {
      readonly report: ReportStream
      readonly coding: ContentCoding | undefined
      readonly reply?: never
    }
  | { readonly report?: never; readonly coding?: never; readonly reply: Reply<Buffer> }

/** Handles a request, and publishes its outcome. While a caller reads a reply, the outcome is no longer in memory. */
async function contentOf(
  path: SignedPath,
  request: FastifyRequest,
  context: AnswerContext,
): Promise<Content> {
  const { outcome, coding } = await outcomeOf(path, request, context)
  publishOutcome(context.publish, outcome)
  if (outcome.kind === 'report') return { report: outcome, coding }
  return { reply: inBytes(replyTo(outcome, request.id, path.refusalStatus)) }
}

/** Sends a report, and says how it ended. */
async function sendWhole(
  response: ServerResponse,
  report: ReportStream,
  coding: ContentCoding | undefined,
  { publish, unsent, signal }: AnswerContext,
): Promise<void> {
  let end: ReportEnd = { outcome: 'cut' }
  try {
    const { bytes, totals } = await sendReport(response, report, unsent, coding)
    publish({ kind: 'sent', bytes, ...(totals && { rows: totals.rows }) })
    const isWhole = totals !== undefined && (await isHandedOver(response))
    end = isWhole
      ? { outcome: 'complete', bytes, totals, contentCoding: coding }
      : { outcome: 'aborted' }
  } catch (error) {
    if (error === signal.reason) end = { outcome: 'aborted' }
    throw error
  } finally {
    report.onEnd(end)
  }
}

/** Waits for the end of a response. Resolves with whether its last byte was handed to the connection. */
async function isHandedOver(response: ServerResponse): Promise<boolean> {
  if (!response.writableFinished && !response.destroyed) {
    await new Promise<void>((resolve) => {
      response.once('finish', resolve)
      response.once('close', resolve)
    })
  }
  return response.writableFinished
}

/** Receives a request and handles it. A fault of its headers or its body becomes an outcome too. */
async function outcomeOf(
  { body, handle }: SignedPath,
  request: FastifyRequest,
  { publish, memory, signal, onReceived }: AnswerContext,
): Promise<{ readonly outcome: Outcome; readonly coding?: ContentCoding | undefined }> {
  try {
    const coding = chooseCoding(request.headers)
    const received = await receive(request, body, { memory, signal, publish })
    onReceived()
    try {
      return { outcome: await handle(received, signal), coding }
    } finally {
      received.releaseBody?.()
    }
  } catch (error) {
    if (error === signal.reason) throw error
    return { outcome: { kind: 'problem', error: problemOf(error) } }
  }
}
