import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Note, RequestObserver } from '../observe/request-summary.ts'
import type { Outcome, ReceivedRequest, ReportEnd, ReportStream } from '../outcome/outcome.ts'
import { chooseCoding, type ContentCoding } from './content-coding.ts'
import { problemOf } from './malformed.ts'
import type { BodyMemory } from './read-body.ts'
import { type AcceptedBody, receive } from './receive.ts'
import { replyTo, sendReply, sendReport } from './reply.ts'
import { noteOf, noteOutcome } from './watch-request.ts'

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
  readonly headers?: Readonly<Record<string, string>>
}

interface AnswerContext {
  readonly observer: RequestObserver
  readonly memory: BodyMemory
  /** The open responses to requests that have arrived in full. A closing server waits for them. */
  readonly received: Set<ServerResponse>
}

/** Answers a signed request. Only this function turns an outcome into bytes. */
export async function answer(
  path: SignedPath,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  context: AnswerContext,
): Promise<void> {
  const { observer } = context
  const note = noteOf(request)
  const signal = closeSignalOf(response)
  const startedAt = performance.now()
  try {
    for (const [name, value] of Object.entries(path.headers ?? {})) response.setHeader(name, value)
    const { outcome, coding } = await outcomeOf(path, request, response, context, signal)
    noteOutcome(observer, request, outcome)
    if (outcome.kind !== 'report') {
      await sendReply(request.raw, response, replyTo(outcome, request.id, path.refusalStatus))
      return
    }
    note({ outcome: 'report', firstByteMs: Math.round(performance.now() - startedAt) })
    await sendWhole(response, outcome, coding, signal, note)
  } catch (error) {
    // A caller that disconnects is not a failure of the gateway.
    if (error !== signal.reason) {
      observer.onError(`request ${request.id} was cut off`, error)
      note({ wasCut: true })
    }
    response.destroy()
  }
}

/** Sends a report, and tells `onEnd` how it ended. */
async function sendWhole(
  response: ServerResponse,
  report: ReportStream,
  coding: ContentCoding | undefined,
  signal: AbortSignal,
  note: Note,
): Promise<void> {
  let end: ReportEnd = { outcome: 'cut' }
  try {
    const { bytes, totals } = await sendReport(response, report, coding)
    note({ bytes, rows: totals?.rows })
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

/** Returns a signal that aborts when the response closes. */
function closeSignalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  else response.once('close', () => controller.abort())
  return controller.signal
}

/** Waits for the end of a response. Resolves with whether its last byte was handed to the connection. */
async function isHandedOver(response: ServerResponse): Promise<boolean> {
  await finished(response).catch(() => {})
  return response.writableFinished
}

/** Receives a request and handles it. A fault of its headers or its body becomes an outcome too. */
async function outcomeOf(
  { body, handle }: SignedPath,
  request: FastifyRequest,
  response: ServerResponse,
  { memory, received }: AnswerContext,
  signal: AbortSignal,
): Promise<{ readonly outcome: Outcome; readonly coding?: ContentCoding | undefined }> {
  try {
    const coding = chooseCoding(request.headers)
    const asked = await receive(request, body, memory, signal)
    if (!signal.aborted) received.add(response)
    response.once('close', () => received.delete(response))
    try {
      return { outcome: await handle(asked, signal), coding }
    } finally {
      asked.releaseBody?.()
    }
  } catch (error) {
    if (error === signal.reason) throw error
    return { outcome: { kind: 'problem', error: problemOf(error) } }
  }
}
