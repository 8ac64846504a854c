import type { FastifyRequest } from 'fastify'
import type { Note } from '../observe/request-summary.ts'
import type { ReceivedRequest } from '../outcome/outcome.ts'
import { type BodyKind, mediaTypeFault } from './media-type.ts'
import { type BodyMemory, readBody } from './read-body.ts'

/** The body that a path accepts. */
export interface AcceptedBody {
  readonly kind: BodyKind
  readonly bytesMax: number
  /** Whether a request may have no body. */
  readonly isOptional?: boolean
}

/**
 * Receives a request with its body.
 * @throws a `GatewayError` to answer the caller with, or the reason of the signal
 */
export async function receive(
  request: FastifyRequest,
  accepted: AcceptedBody,
  {
    memory,
    signal,
    note,
  }: { readonly memory: BodyMemory; readonly signal: AbortSignal; readonly note: Note },
): Promise<ReceivedRequest> {
  const { headers, headersDistinct, url: target = '/' } = request.raw
  const contentType = headers['content-type']
  const contentEncoding = headers['content-encoding']
  const isEmpty = !headers['transfer-encoding'] && Number(headers['content-length'] ?? 0) === 0
  const hasNone = accepted.isOptional && isEmpty
  const { bytesMax } = accepted
  const { bytes, release } = await readBody(request.raw, { bytesMax, memory, signal })
  return {
    requestId: request.id,
    method: request.method,
    target,
    // The gateway refuses a second Authorization header. Node's `headers` would hide it.
    authorization: headersDistinct['authorization'],
    contentType,
    host: headers.host,
    accept: headers.accept,
    browser: {
      cookie: headers.cookie,
      origin: headers.origin,
      fetchSite: headersDistinct['sec-fetch-site']?.join(', '),
    },
    body: bytes,
    bodyFault: hasNone
      ? undefined
      : mediaTypeFault(accepted.kind, { contentType, contentEncoding }),
    releaseBody: release,
    note,
  }
}
