import { HEADERS } from '@counterfoil/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isProblemCode } from '../errors.ts'
import type { Publish, RequestEvents } from '../observe/events.ts'
import type { Outcome } from '../outcome.ts'
import { endUnread } from './reply.ts'

/** Publishes that a request arrived, and when its answer is over, however that comes. */
export function watchRequest(
  events: RequestEvents,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
): void {
  const startedAt = performance.now()
  const publish = publisherOf(events, request)
  publish({ kind: 'received', method: request.method, path: pathOf(request) })
  response.setHeader(HEADERS.requestId, request.id)
  endUnread(response)
  response.once('close', () => {
    const durationMs = Math.round(performance.now() - startedAt)
    const { statusCode: status, writableFinished: isWhole } = response
    publish({ kind: 'ended', status, durationMs, isWhole })
  })
}

/** Publishes the steps of one request. */
export function publisherOf(events: RequestEvents, { id: requestId }: FastifyRequest): Publish {
  return (step) => events.publish({ requestId, ...step })
}

/** Publishes that a request is refused or cannot be answered. */
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

/** The path that was asked for, without the query. */
export function pathOf(request: FastifyRequest): string {
  return (request.raw.url ?? '/').replace(/\?.*$/s, '')
}
