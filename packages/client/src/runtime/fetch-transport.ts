import { reasonOf } from '../errors/connection-faults.ts'
import { createError } from '../errors/counterfoil-error.ts'
import {
  type Answer,
  type HttpRequest,
  receive,
  requestIdOf,
  startTimer,
  type Transport,
  type WaitOptions,
} from './runtime.ts'

/** The part of `fetch` that the transport uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** `fetch` shows no trailers, and decodes compressed answers. A browser may send the cookies of its page. */
export function createFetchTransport(
  fetch: Fetch,
  cookies: 'omit' | 'same-origin' = 'omit',
): Transport {
  return async (request, waitOptions) => {
    const { signal } = waitOptions
    signal?.throwIfAborted()
    const connection = new AbortController()
    const signals = [connection.signal, ...(signal ? [signal] : [])]
    const stop = (error: Error) => connection.abort(error)
    const stopTimer = startTimer({ stop }, waitOptions)
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
      stopTimer()
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
  const stop = (error?: Error) => connection.abort(error)
  return {
    // Browsers hide the status and the target of a redirect.
    status: response.type === 'opaqueredirect' ? 302 : response.status,
    header,
    isDecoded: (header('content-encoding') ?? 'identity') !== 'identity',
    chunks: receive(chunksOf(response), { requestId: requestIdOf({ header }), stop }, waitOptions),
    cancel: stop,
  }
}

/** Reads a body. Not every browser can iterate over one. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // The reader may have left early.
    reader.cancel().catch(() => {})
  }
}
