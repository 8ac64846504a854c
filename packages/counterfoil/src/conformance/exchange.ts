import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createError } from '@counterfoil/client'

/** A request that is sent exactly as it is. */
export interface RawRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Buffer
}

export type Answer = Awaited<ReturnType<typeof readAnswer>>

const TIMEOUT_MS = 60_000
const BYTES_MAX = 16 * 1024 * 1024

/**
 * Sends a request on a connection of its own, and reads the answer. The client's transport would not send faulty
 * requests. Throws the client's `network-error` if no answer arrives.
 */
export async function exchange(
  { method, url, headers, body }: RawRequest,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const create = url.startsWith('https:') ? requestHttps : requestHttp
  const common = { 'Content-Length': String(body.length), TE: 'trailers', Connection: 'close, TE' }
  const request = create(url, {
    method,
    headers: { ...common, ...headers },
    agent: false,
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  })
  try {
    const [message] = await once(request.end(body), 'response')
    // An error after the head leaves the answer incomplete.
    request.on('error', () => {})
    return await readAnswer(message)
  } catch (cause) {
    signal.throwIfAborted()
    const reason = cause instanceof Error ? cause.message || String(Reflect.get(cause, 'code')) : ''
    const message = `no answer from ${new URL(url).host}: ${reason}`
    throw createError('network-error', message, { nothingSent: false }, { cause })
  }
}

async function readAnswer(message: IncomingMessage) {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      length += chunk.length
      chunks.push(chunk)
      if (length > BYTES_MAX) break
    }
  } catch {
    // The answer is not complete.
  }
  const { statusCode: status = 0, headers, trailers, complete } = message
  // Otherwise the connection was cut, or the answer is too long.
  const isComplete = complete && length <= BYTES_MAX
  return { status, headers, trailers, body: Buffer.concat(chunks), isComplete }
}
