import * as http from 'node:http'
import { randomUUID } from 'node:crypto'
import * as https from 'node:https'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { SERVER_SETTINGS, type Settings } from '../dialect/settings.ts'
import { freeMemory, LIMITS, shareFor } from '@counterfoil/common'
import type { EngineQuery, ServerAddress, ServerSource } from '../engine/engine.ts'
import { type ResultFrame, STATEMENT_FRAME } from './results.ts'
import { writeForm } from './write-form.ts'

const OWN_TRIES = 20
const OWN_TRY_MS = 50

const AGENT = { keepAlive: true } as const

// A silent connection is probed after this time, so that the gateway notices a server that has gone without a word.
const PROBE_AFTER_MS = 10_000

// Without the tag, an error in the body could pass for rows.
const TOO_OLD = 'It sends no X-ClickHouse-Exception-Tag. Use ClickHouse 25.11 or newer.'

/** A query as a server gets it. */
export interface ServerQuery extends Pick<EngineQuery, 'sql' | 'parameters'> {
  /** Identifies the query on the server. */
  readonly id: string
  readonly frame: Pick<ResultFrame, 'format' | 'settings'>
  /** Whether it may run twice. A statement may not. */
  readonly isRepeatable: boolean
  /** The only role of the query. By default the query has all roles of the user. */
  readonly role?: string | undefined
  /** The rows of an INSERT. */
  readonly data?: AsyncIterable<Uint8Array>
}

/** A result that has begun. */
export interface ServerResult {
  readonly kind: 'result'
  readonly response: http.IncomingMessage
  /** The random text that marks an error in the body. */
  readonly tag: string
}

/** The reply of a server. `none` means that the server cannot be reached, or that it did not answer. */
export type ServerReply =
  | ServerResult
  /** The server refused or failed the query before its first byte. */
  | { readonly kind: 'failed'; readonly error: Error }
  /** `isSent` means that the server may have run the query. */
  | { readonly kind: 'none'; readonly isSent: boolean; readonly error: Error }

/** A ClickHouse server, reached over HTTP. */
export class ClickHouseServer {
  readonly name: string
  readonly #source: ServerSource
  readonly #agents = { 'http:': new http.Agent(AGENT), 'https:': new https.Agent(AGENT) }
  readonly #probe = shareFor(LIMITS.serverProbeEveryMs, async () => await this.#ping())

  constructor(source: ServerSource) {
    this.name = source.name
    this.#source = source
  }

  /** Sends a query and resolves when its first bytes arrive. An abort of `signal` closes the connection. */
  async send(query: ServerQuery, signal: AbortSignal): Promise<ServerReply> {
    const { isOwn } = this.#source
    for (let triesLeft = isOwn === true ? OWN_TRIES : 0; ; ) {
      const reply = await this.#sendOnce(query, signal)
      if (signal.aborted) return reply
      if (reply.isRefused === true && triesLeft > 0) {
        // The own server has ended, and this process is about to notice.
        triesLeft -= 1
        await sleep(OWN_TRY_MS)
      } else if (reply.isStale !== true || isOwn === true) return reply
      // The server may have closed an idle connection at the moment of the request. After a crash, no query runs twice.
    }
  }

  /** Kills a query. Does nothing if the query does not run. */
  async kill(id: string, signal: AbortSignal): Promise<void> {
    const sql = 'KILL QUERY WHERE query_id = {id:String} ASYNC'
    const query = {
      id: randomUUID(),
      sql,
      parameters: { id },
      frame: STATEMENT_FRAME,
      isRepeatable: true,
    }
    const reply = await this.send(query, signal)
    if (reply.kind === 'result') reply.response.resume()
  }

  /** Closes all connections, and ends a server of the gateway's own. */
  async close(): Promise<void> {
    for (const agent of Object.values(this.#agents)) agent.destroy()
    await this.#source.close()
  }

  /** Returns an error if the server does not answer a small request of its own. */
  async #ping(): Promise<Error | undefined> {
    const { promise, resolve } = Promise.withResolvers<Error | undefined>()
    const silent = new Error('The server does not answer.')
    const address = await this.#source.address().catch(() => undefined)
    if (address === undefined) return silent
    const get = address.url.startsWith('https:') ? https.get : http.get
    const signal = AbortSignal.timeout(LIMITS.serverProbeTimeoutMs)
    const { ca } = address.login
    const request = get(new URL('/ping', address.url), { agent: false, ca, signal })
    request.once('error', () => resolve(silent))
    request.once('close', () => resolve(silent))
    request.once('response', (response) => {
      resolve(isAway(response) ? silent : undefined)
      response.resume()
    })
    return await promise
  }

  async #sendOnce(
    query: ServerQuery,
    signal: AbortSignal,
  ): Promise<ServerReply & { readonly isStale?: boolean; readonly isRefused?: boolean }> {
    let address: ServerAddress
    try {
      address = await this.#source.address()
      signal.throwIfAborted()
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause))
      return { kind: 'none', isSent: false, error }
    }
    const isTls = address.url.startsWith('https:')
    const request = this.#request(address, query, signal)
    let isSent = false
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
    request.once('error', reject)
    request.once('response', resolve)
    // A reply such as `101 Switching Protocols` emits nothing else.
    request.once('close', () => reject(new Error('The server closed the connection.')))
    request.once('socket', (socket: Socket) => {
      const connected = (): void => {
        isSent = true
        clearTimeout(timer)
      }
      // It runs after the listener of HTTP, which has copied the bytes.
      socket.off('data', freeMemory).on('data', freeMemory)
      if (request.reusedSocket) return connected()
      socket.setKeepAlive(true, PROBE_AFTER_MS)
      socket.once(isTls ? 'secureConnect' : 'connect', connected)
    })
    const timer = setTimeout(() => {
      request.destroy(new Error(`no connection within ${LIMITS.serverConnectTimeoutMs / 1000} s`))
    }, LIMITS.serverConnectTimeoutMs)
    const probes = setInterval(async () => {
      const error = await this.#probe()
      if (error !== undefined) request.destroy(error)
    }, LIMITS.serverProbeEveryMs)
    request.once('close', () => clearInterval(probes))
    try {
      return await replyOf(await promise)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const code = 'code' in error ? error.code : undefined
      const isStale = code === 'ECONNRESET' && request.reusedSocket
      return { kind: 'none', isSent, error, isStale, isRefused: code === 'ECONNREFUSED' }
    } finally {
      clearTimeout(timer)
    }
  }

  #request(address: ServerAddress, query: ServerQuery, signal: AbortSignal): http.ClientRequest {
    const { id, frame, role } = query
    const url = new URL('/', address.url)
    url.search = new URLSearchParams({
      query_id: id,
      default_format: frame.format,
      ...(role === undefined ? {} : { role }),
      ...textsOf({ ...SERVER_SETTINGS, ...frame.settings }),
    }).toString()
    if (query.data) url.searchParams.set('query', query.sql)
    const isTls = url.protocol === 'https:'
    const { contentType, body } = query.data
      ? { contentType: 'application/octet-stream', body: query.data }
      : writeForm(query)
    const { user, password, ca } = address.login
    const credentials = Buffer.from(`${user}:${password}`).toString('base64')
    const options = {
      method: 'POST',
      // On a new connection, an error tells whether the server can have read the request.
      agent: query.isRepeatable && this.#agents[isTls ? 'https:' : 'http:'],
      ca,
      signal,
      headers: { authorization: `Basic ${credentials}`, 'content-type': contentType },
    }
    const send = isTls ? https.request : http.request
    const request = send(url, options)
    if (typeof body === 'string') return request.end(body)
    // A failure of the body ends the request. The server may answer, and close, before it has read the body.
    pipeline(body, request, () => {})
    return request
  }
}

function textsOf(settings: Settings): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]))
}

async function replyOf(response: http.IncomingMessage): Promise<ServerReply> {
  const { statusCode = 0, headers } = response
  const hasFailed = headers['x-clickhouse-exception-code'] !== undefined
  if (statusCode === 200 && !hasFailed) {
    const tag = headers['x-clickhouse-exception-tag']
    if (typeof tag === 'string') return { kind: 'result', response, tag }
    response.destroy()
    return { kind: 'failed', error: new Error(TOO_OLD) }
  }
  const error = new Error(await readStart(response))
  return isAway(response) ? { kind: 'none', isSent: true, error } : { kind: 'failed', error }
}

/** Whether a proxy answers for a server that does not answer. */
function isAway({ statusCode = 0, headers }: http.IncomingMessage): boolean {
  return statusCode >= 502 && headers['x-clickhouse-exception-code'] === undefined
}

/** Reads the first bytes of an error's text, and drops the rest. */
async function readStart(response: http.IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of response.setEncoding('utf8')) {
    if (text.length < LIMITS.serverErrorLengthMax) text += piece
  }
  return text.slice(0, LIMITS.serverErrorLengthMax)
}
