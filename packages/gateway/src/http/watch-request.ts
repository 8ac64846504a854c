import type { ServerResponse } from 'node:http'
import { HEADERS } from '@counterfoil/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isProblemCode } from '@counterfoil/common'
import type { Publish, RequestEvents } from '../observe/events.ts'
import type { Outcome } from '../outcome/outcome.ts'

/** The answers that are being made, by their response. */
const answers = new WeakMap<ServerResponse, Promise<void>>()

/** Makes the end of a request wait for its answer: a caller that leaves does not stop an operation. */
export async function watchAnswer(response: ServerResponse, answer: Promise<void>): Promise<void> {
  answers.set(response, answer)
  await answer
}

/** Publishes that a request arrived, and later that its answer ended, complete or not. */
export function watchRequest(
  events: RequestEvents,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
): void {
  const startedAt = performance.now()
  const publish = publisherOf(events, request)
  publish({
    kind: 'received',
    method: request.method,
    path: withoutUserInformation(pathOf(request)),
    route: request.routeOptions.url,
    traceId: traceIdOf(request),
  })
  response.setHeader(HEADERS.requestId, request.id)
  response.once('close', async () => {
    const durationMs = Math.round(performance.now() - startedAt)
    const { statusCode: status, writableFinished: isComplete } = response
    await answers.get(response)
    publish({ kind: 'ended', status, durationMs, isComplete })
  })
}

/** Returns a function that publishes the events of one request. */
export function publisherOf(events: RequestEvents, { id: requestId }: FastifyRequest): Publish {
  return (step) => events.publish({ requestId, ...step })
}

/** Publishes a refusal or a problem. Other outcomes publish nothing here. */
export function publishOutcome(publish: Publish, outcome: Outcome): void {
  if (outcome.kind === 'refusal') {
    const { step, code, claimedLogin } = outcome
    publish({ kind: 'refused', step, code, claimedLogin })
  }
  if (outcome.kind === 'problem') {
    const { error } = outcome
    const isForTheOperator = error.cause !== undefined || !isProblemCode(error.code)
    publish({ kind: 'failed', code: error.code, ...(isForTheOperator && { error }) })
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
