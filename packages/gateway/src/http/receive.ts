import type { FastifyRequest } from 'fastify'
import type { ReceivedRequest } from '../outcome.ts'

/** A request as everything below `http/` knows it. */
export function receive(request: FastifyRequest): ReceivedRequest {
  const { headers, headersDistinct, url: target = '/' } = request.raw
  return {
    requestId: request.id,
    method: request.method,
    target,
    // Two headers are joined, and so not well-formed: otherwise one of them would be passed over.
    authorization: headersDistinct['authorization']?.join(', '),
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
  }
}
