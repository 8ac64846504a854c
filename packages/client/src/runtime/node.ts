import { createHash } from 'node:crypto'
import { saveReport } from '../download/save-report.ts'
import {
  type Answer,
  type HttpRequest,
  receive,
  requestIdOf,
  type Runtime,
  startTimer,
  type Transport,
  type WaitOptions,
} from './runtime.ts'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { describeTlsFault, reasonOf } from '../errors/connection-faults.ts'
import { CounterfoilError, createError } from '../errors/counterfoil-error.ts'

/** The runtime of Node, Bun and Deno: `node:http`, `node:crypto` and `node:fs`. */
export const runtime: Runtime = {
  createTransport: createNodeTransport,
  createSha256() {
    const hash = createHash('sha256')
    return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest('hex') }
  },
  saveReport,
}

// A proxy may drop the trailers, which prove that a report is complete, unless the request asks for them.
const OWN_HEADERS = { TE: 'trailers', Connection: 'close, TE', 'Accept-Encoding': 'identity' }

/** Creates the transport of Node, Bun and Deno, which shows trailers. It always verifies certificates. */
export function createNodeTransport(ca: string | undefined): Transport {
  return async (request, waitOptions) => {
    const message = await exchange(request, ca, waitOptions)
    const header = (name: string) => textOf(message.headers[name.toLowerCase()])
    const head: Omit<Answer, 'chunks'> = {
      status: message.statusCode ?? 0,
      header,
      trailer: (name) => textOf(message.trailers[name.toLowerCase()]),
      isDecoded: false,
      cancel: () => void message.destroy(),
    }
    const connection = {
      requestId: requestIdOf(head),
      stop: (error: Error) => message.destroy(error),
    }
    return { ...head, chunks: receive(message, connection, waitOptions) }
  }
}

async function exchange(
  { method, url, headers, body }: HttpRequest,
  ca: string | undefined,
  waitOptions: WaitOptions,
): Promise<IncomingMessage> {
  const { signal } = waitOptions
  signal?.throwIfAborted()
  const options = {
    method,
    headers: { ...headers, ...OWN_HEADERS },
    agent: false,
    rejectUnauthorized: true,
    ca,
    signal,
  }
  const isTls = url.protocol === 'https:'
  const request = (isTls ? requestHttps : requestHttp)(url, options)
  let nothingSent = true
  request.once('socket', (socket) => {
    socket.once(isTls ? 'secureConnect' : 'connect', () => (nothingSent = false))
  })
  const stop = (error: Error) => request.destroy(error)
  const stopTimer = startTimer({ nothingSent: () => nothingSent, stop }, waitOptions)
  try {
    const head = headOfAnswer(request)
    request.end(body)
    return await head
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof CounterfoilError) throw cause
    const hint = !isTls && hungUp(cause) ? '; its port may speak TLS: use https:' : ''
    const noAnswer = `no answer from ${url.host}: ${reasonOf(cause)}${hint}`
    const message = describeTlsFault(cause, url.host) ?? noAnswer
    throw createError('network-error', message, { nothingSent }, { cause })
  } finally {
    stopTimer()
  }
}

/** Waits for the head of the answer. After the head, the answer reports errors. */
async function headOfAnswer(request: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    request.once('response', resolve).on('error', reject)
    // After a status 101, which nobody asked for, Node closes the connection without an error.
    request.once('close', () => reject(new Error('the connection was closed')))
  })
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Whether the other side closed the connection without an answer. A TLS server does so after plain HTTP. */
function hungUp(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNRESET'
}
