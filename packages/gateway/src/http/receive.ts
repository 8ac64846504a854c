import type { FastifyRequest } from 'fastify'
import type { Publish } from '../observe/events.ts'
import type { ReceivedRequest } from '../outcome.ts'
import { type BodyKind, checkMediaType } from './media-type.ts'
import { type BodyMemory, readBody } from './read-body.ts'

/** What a path takes as the body of its requests. */
export interface AcceptedBody {
  readonly kind: BodyKind
  readonly bytesMax: number
  /** Whether a request may come without one. */
  readonly isOptional?: boolean
}

/**
 * Receives a request: checks the headers of its body, then reads the body.
 * @throws a `GatewayError` for the caller, or the reason of the signal
 */
export async function receive(
  request: FastifyRequest,
  accepted: AcceptedBody,
  {
    memory,
    signal,
    publish,
  }: { readonly memory: BodyMemory; readonly signal: AbortSignal; readonly publish: Publish },
): Promise<ReceivedRequest> {
  const { headers, headersDistinct, url: target = '/' } = request.raw
  const contentType = headers['content-type']
  const contentEncoding = headers['content-encoding']
  const isEmpty = !headers['transfer-encoding'] && Number(headers['content-length'] ?? 0) === 0
  if (!(accepted.isOptional && isEmpty)) {
    checkMediaType(accepted.kind, { contentType, contentEncoding })
  }
  const { bytesMax } = accepted
  const { bytes, release } = await readBody(request.raw, { bytesMax, memory, signal })
  return {
    requestId: request.id,
    method: request.method,
    target,
    // All of them: Node's `headers` drops a second one, which must be refused.
    authorization: headersDistinct['authorization'],
    contentType,
    body: bytes,
    releaseBody: release,
    publish,
  }
}
