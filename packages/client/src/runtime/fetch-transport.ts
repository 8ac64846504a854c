import { cut, reasonOf, timedOut } from '../errors/connection-faults.ts'
import { createError } from '../errors/counterfoil-error.ts'
import {
  type Answer,
  type HttpRequest,
  type Transport,
  type WaitOptions,
  requestIdOf,
} from './runtime.ts'

/** The part of `fetch` that the transport uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Creates a transport over `fetch`, which shows no trailers, and decodes compressed answers.
 *
 * @param cookies Whether a browser sends the cookies of its page; by default not.
 */
export function createFetchTransport(
  fetch: Fetch,
  cookies: 'omit' | 'same-origin' = 'omit',
): Transport {
  return async (request, waitOptions) => {
    const { idleTimeoutMs, signal } = waitOptions
    signal?.throwIfAborted()
    const connection = new AbortController()
    const signals = signal ? [connection.signal, signal] : [connection.signal]
    const silent = () => connection.abort(timedOut(idleTimeoutMs, false))
    const timer = setTimeout(silent, idleTimeoutMs)
    try {
      const response = await fetch(request.url.href, {
        ...initOf(request, AbortSignal.any(signals)),
        credentials: cookies,
      })
      return answerOf(response, connection, waitOptions)
    } catch (cause) {
      signal?.throwIfAborted()
      connection.signal.throwIfAborted()
      const message = `no answer from ${request.url.host}: ${reasonOf(cause)}`
      throw createError('network-error', message, { nothingSent: false }, { cause })
    } finally {
      clearTimeout(timer)
    }
  }
}

function initOf({ method, headers, body }: HttpRequest, signal: AbortSignal): RequestInit {
  return {
    method,
    // A browser does not let a page change `Accept-Encoding`, but the gateway compresses nothing with `no-transform`.
    headers: { ...headers, 'Accept-Encoding': 'identity', 'Cache-Control': 'no-transform' },
    ...(body !== undefined && { body }),
    redirect: 'manual',
    cache: 'no-store',
    signal,
  }
}

function answerOf(
  response: Response,
  connection: AbortController,
  waitOptions: WaitOptions,
): Answer {
  const header = (name: string) => response.headers.get(name) ?? undefined
  const requestId = requestIdOf({ header })
  return {
    // Browsers hide the status and the target of a redirect.
    status: response.type === 'opaqueredirect' ? 302 : response.status,
    header,
    isDecoded: (header('content-encoding') ?? 'identity') !== 'identity',
    chunks: receive(response, requestId, connection, waitOptions),
    cancel: () => connection.abort(),
  }
}

async function* receive(
  { body }: Response,
  requestId: string | undefined,
  connection: AbortController,
  { idleTimeoutMs, signal }: WaitOptions,
): AsyncGenerator<Uint8Array, void> {
  if (!body) return
  const reader = body.getReader()
  const silent = () => connection.abort(timedOut(idleTimeoutMs, false, requestId))
  let bytes = 0
  try {
    for (;;) {
      const timer = setTimeout(silent, idleTimeoutMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(timer))
      if (done) return
      bytes += value.length
      yield value
    }
  } catch (cause) {
    signal?.throwIfAborted()
    connection.signal.throwIfAborted()
    throw cut(bytes, { requestId, cause })
  } finally {
    // The reader may have left early.
    reader.cancel().catch(() => {})
  }
}
