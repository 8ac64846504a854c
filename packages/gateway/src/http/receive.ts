import type { IncomingHttpHeaders } from 'node:http'
import { isForm } from '@counterfoil/signing'
import type { FastifyRequest } from 'fastify'
import { GatewayError } from '@counterfoil/common'
import type { ReceivedRequest } from '../outcome/outcome.ts'
import { type BodyMemory, readBody } from './read-body.ts'
import { noteOf } from './watch-request.ts'

/** The body that a path accepts. */
export interface AcceptedBody {
  readonly kind: 'json' | 'form'
  readonly bytesMax: number
  /** Whether a request may have no body. */
  readonly isOptional?: boolean
}

/** Receives a request with its body. Throws a `GatewayError` to answer the caller with, or the reason of the signal. */
export async function receive(
  request: FastifyRequest,
  accepted: AcceptedBody,
  memory: BodyMemory,
  signal: AbortSignal,
): Promise<ReceivedRequest> {
  const { headers, headersDistinct, url: target = '/' } = request.raw
  const contentType = headers['content-type']
  const isEmpty = !headers['transfer-encoding'] && Number(headers['content-length'] ?? 0) === 0
  const { kind, bytesMax, isOptional } = accepted
  const { bytes, release } = await readBody(request.raw, bytesMax, memory, signal)
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
    bodyFault: isOptional && isEmpty ? undefined : mediaTypeFault(kind, headers),
    releaseBody: release,
    note: noteOf(request),
  }
}

/** Returns `unsupported-media-type` for a body of another kind than its path accepts, or with a `Content-Encoding`. */
function mediaTypeFault(
  kind: AcceptedBody['kind'],
  { 'content-type': contentType, 'content-encoding': coding = 'identity' }: IncomingHttpHeaders,
): GatewayError | undefined {
  if (coding !== 'identity') {
    const message = 'expected a body without Content-Encoding'
    return new GatewayError('unsupported-media-type', message)
  }
  if (kind === 'json' ? isJson(contentType) : isForm(contentType)) return undefined
  const expected =
    kind === 'json' ? 'application/json, in UTF-8' : 'application/x-www-form-urlencoded'
  return new GatewayError('unsupported-media-type', `expected Content-Type: ${expected}`)
}

function isJson(contentType = ''): boolean {
  const [mediaType = '', ...parameters] = contentType.toLowerCase().split(';')
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset.trim())
  return mediaType.trim() === 'application/json' && isUtf8
}
