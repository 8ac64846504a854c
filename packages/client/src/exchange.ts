import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { HEADERS } from '@counterfoil/protocol'
import { ReportError, type ReportErrorDetails } from './report-error.ts'
import { describeTlsFault } from './tls-fault.ts'

/** When to stop waiting for the gateway. */
export interface WaitOptions {
  /** The longest time without a byte from the gateway. The reader's own pauses do not count. */
  readonly idleTimeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** A request that is ready to be sent. */
export interface Post {
  /** `POST` by default. */
  readonly method?: 'GET'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Certificates to trust instead of the system's, as PEM. */
  readonly ca?: string | undefined
}

/**
 * Sends a request on a connection of its own, and returns the head of the answer, whatever its status. It follows no
 * redirect and always verifies certificates. Throws `connection`, or the signal's reason.
 */
export async function send(post: Post, waitOptions: WaitOptions): Promise<IncomingMessage> {
  const { method = 'POST', url, headers, body, ca } = post
  const { idleTimeoutMs, signal } = waitOptions
  signal?.throwIfAborted()
  const options = { method, headers, agent: false, rejectUnauthorized: true, ca, signal }
  const isTls = url.protocol === 'https:'
  const request = (isTls ? requestHttps : requestHttp)(url, options)
  let nothingSent = true
  request.once('socket', (socket) => {
    socket.once(isTls ? 'secureConnect' : 'connect', () => (nothingSent = false))
  })
  const silent = () => request.destroy(silence(idleTimeoutMs, { nothingSent }))
  const timer = setTimeout(silent, idleTimeoutMs)
  // After the head, the answer reports errors. Without this listener they would end the process.
  request.on('error', () => {})
  request.end(body)
  try {
    const [answer]: IncomingMessage[] = await once(request, 'response')
    if (answer) return answer
    throw new Error('no answer')
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof ReportError) throw cause
    const hint = !isTls && hungUp(cause) ? '; its port may speak TLS: use https:' : ''
    const noAnswer = `no answer from ${url.host}: ${reasonOf(cause)}${hint}`
    const message = describeTlsFault(cause, url.host) ?? noAnswer
    throw new ReportError('connection', message, { cause, nothingSent })
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Yields the bytes of an answer as they arrive. Throws `incomplete` if the connection breaks, `connection` if the
 * gateway sends nothing for too long, or the signal's reason.
 */
export async function* receive(
  answer: IncomingMessage,
  { idleTimeoutMs, signal }: WaitOptions,
): AsyncGenerator<Buffer, void> {
  const requestId = requestIdOf(answer)
  const wait = () => {
    return setTimeout(() => answer.destroy(silence(idleTimeoutMs, { requestId })), idleTimeoutMs)
  }
  let timer = wait()
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      clearTimeout(timer)
      yield chunk
      timer = wait()
    }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof ReportError) throw cause
    const message = 'the connection was cut before the answer was complete'
    throw new ReportError('incomplete', message, { requestId, cause })
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the id by which the gateway's operator finds the request. */
export function requestIdOf(answer: IncomingMessage): string | undefined {
  const value = answer.headers[HEADERS.requestId.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

/** Whether the other side closed the connection without an answer. A TLS server does so after plain HTTP. */
function hungUp(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNRESET'
}

/** A host with several addresses fails with one error for each, and an outer error without a message. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ')
  return cause instanceof Error ? cause.message.trimEnd() : String(cause)
}

function silence(idleTimeoutMs: number, details: ReportErrorDetails): ReportError {
  const message = `the gateway sent nothing for ${idleTimeoutMs / 1000} s`
  return new ReportError('connection', message, details)
}
