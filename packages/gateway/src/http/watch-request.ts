import type { IncomingMessage, ServerResponse } from 'node:http'
import { HEADERS } from '@counterfoil/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isProblemCode } from '@counterfoil/common'
import type { Note, RequestObserver } from '../observe/request-summary.ts'
import type { Outcome } from '../outcome/outcome.ts'

/** The answers that are being made, by their response. */
const answers = new WeakMap<ServerResponse, Promise<void>>()

/** Makes the end of a request wait for its answer: a caller that leaves does not stop an operation. */
export async function watchAnswer(response: ServerResponse, answer: Promise<void>): Promise<void> {
  answers.set(response, answer)
  await answer
}

/** The functions that add to the summaries of requests, by the request. */
const notes = new WeakMap<IncomingMessage, Note>()

/** Begins the summary of a request, and passes it on when its answer has ended. */
export function watchRequest(
  observer: RequestObserver,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
): void {
  const startedAt = performance.now()
  const summary = {
    requestId: request.id,
    method: request.method,
    path: withoutUserInformation(pathOf(request)),
    route: request.routeOptions.url,
    traceId: traceIdOf(request),
    outcome: 'reply' as const,
  }
  notes.set(request.raw, (fields) => Object.assign(summary, fields))
  response.setHeader(HEADERS.requestId, request.id)
  response.once('close', async () => {
    const durationMs = Math.round(performance.now() - startedAt)
    const { statusCode: status, writableFinished } = response
    await answers.get(response)
    const outcome = writableFinished ? summary.outcome : 'aborted'
    observer.onEnd({ ...summary, outcome, status, durationMs })
  })
}

/** Returns the function that adds to the summary of a request. */
export function noteOf({ raw }: FastifyRequest): Note {
  return notes.get(raw) ?? (() => {})
}

/** Notes a refusal or a problem. The operator learns the details of a problem that is not the caller's fault. */
export function noteOutcome(
  observer: RequestObserver,
  request: FastifyRequest,
  outcome: Outcome,
): void {
  const note = noteOf(request)
  if (outcome.kind === 'refusal') {
    const { step, code, claimedLogin: login } = outcome
    note({ outcome: 'refusal', step, code, ...(login !== undefined && { login }) })
  }
  if (outcome.kind === 'problem') {
    const { error } = outcome
    note({ outcome: 'problem', code: error.code })
    if (error.cause === undefined && isProblemCode(error.code)) return
    observer.onError(`request ${request.id} failed`, error)
  }
}

/** Reads the trace id of a `traceparent` header (W3C Trace Context, 3.2). Returns `undefined` if it is malformed. */
function traceIdOf({ headers }: FastifyRequest): string | undefined {
  const parent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/
  const [, traceId] = parent.exec(String(headers['traceparent'] ?? '')) ?? []
  return traceId
}

/** Returns the path of a request, without the query. */
export function pathOf(request: FastifyRequest): string {
  return (request.raw.url ?? '/').replace(/\?.*$/s, '')
}

/** Removes the name and password of an authority, which a target may hold that is not a path. */
function withoutUserInformation(target: string): string {
  return target.replace(/^(\/*(?:[a-z][\w+.-]*:)?\/\/)[^/]*@/i, '$1')
}
