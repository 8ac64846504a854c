import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { NetworkError, tlsFaultOf } from '@counterfoil/client'
import { headOfAnswer } from '../connection/head-of-answer.ts'
import type { Answer } from './answer.ts'
import { CONFORMANCE_LIMITS } from './limits.ts'
import type { SignedRequest } from './sign-request.ts'

/** The certificates to trust, and what ends a request. */
export interface ExchangeOptions {
  readonly ca: string | undefined
  readonly signal: AbortSignal
}

/** How the message of an error begins if no answer arrives. */
export const NO_ANSWER = 'no answer'

/**
 * Sends a request on a connection of its own, and reads the answer. The client's transport would not send faulty
 * requests.
 *
 * @throws {NetworkError} if no answer arrives
 */
export async function exchange(request: SignedRequest, options: ExchangeOptions): Promise<Answer> {
  const { ca, signal } = options
  signal.throwIfAborted()
  const url = new URL(request.url)
  const open = url.protocol === 'https:' ? requestHttps : requestHttp
  const sent: ClientRequest = open(url, {
    method: request.method,
    headers: {
      'Content-Length': String(request.body.length),
      TE: 'trailers',
      Connection: 'close, TE',
      ...request.headers,
    },
    agent: false,
    rejectUnauthorized: true,
    ca,
    signal,
  })
  const timer = setTimeout(
    () => sent.destroy(new Error('no answer in time')),
    CONFORMANCE_LIMITS.requestMs,
  )
  try {
    const head = headOfAnswer(sent)
    sent.end(request.body)
    return await read(await head)
  } catch (cause) {
    signal.throwIfAborted()
    const reason = cause instanceof Error ? cause.message || String(Reflect.get(cause, 'code')) : ''
    const fault = tlsFaultOf(cause)
    const why = fault === undefined ? reason : `${reason} (its certificate: ${fault})`
    throw new NetworkError(`${NO_ANSWER} from ${url.host}: ${why}`, false, { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** Reads an answer, as far as the connection and the limit allow. */
async function read(message: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > CONFORMANCE_LIMITS.answerBytesMax) break
      chunks.push(chunk)
    }
  } catch {
    // The answer is not complete.
  }
  const { statusCode = 0, headers, trailers, complete } = message
  const isComplete = complete && length <= CONFORMANCE_LIMITS.answerBytesMax
  return { status: statusCode, headers, trailers, body: Buffer.concat(chunks), isComplete }
}
