import * as http from 'node:http'
import { randomUUID } from 'node:crypto'
import * as https from 'node:https'
import type { Socket } from 'node:net'
import { SERVER_SETTINGS, type Settings } from '../clickhouse/settings.ts'
import { LIMITS } from '../limits.ts'
import { shareFor } from '../share-for.ts'
import type { EngineQuery } from './engine.ts'
import { type ResultFrame, STATEMENT_FRAME } from './result-frame.ts'
import { writeForm } from './write-form.ts'

// A silent connection is probed after this time, so that the gateway notices a server that has gone without a word.
const PROBE_AFTER_MS = 10_000

// Without the tag, an error in the body could pass for rows.
const TOO_OLD = 'It sends no X-ClickHouse-Exception-Tag. Use ClickHouse 25.11 or newer.'

/** How the gateway logs in to a server. */
export interface ServerLogin {
  readonly user: string
  readonly password: string
  /** PEM of the certificate authority. The default is Node's list. */
  readonly ca?: string | undefined
}

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
  readonly data?: Uint8Array
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
  readonly url: string
  readonly #login: ServerLogin
  readonly #agent: http.Agent
  readonly #probe = shareFor(LIMITS.serverProbeEveryMs, async () => await this.#ping())

  constructor(url: string, login: ServerLogin) {
    this.url = url
    this.#login = login
    const isTls = url.startsWith('https:')
    this.#agent = isTls
      ? new https.Agent({ keepAlive: true, ca: login.ca })
      : new http.Agent({ keepAlive: true })
  }

  /** Sends a query and resolves when its first bytes arrive. An abort of `signal` closes the connection. */
  async send(query: ServerQuery, signal: AbortSignal): Promise<ServerReply> {
    for (;;) {
      const reply = await this.#sendOnce(query, signal)
      // The server may have closed an idle connection at the moment of the request.
      if (reply.isStale !== true || signal.aborted) return reply
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

  /** Closes all connections. */
  close(): void {
    this.#agent.destroy()
  }

  /** Returns an error if the server does not answer a small request of its own. */
  async #ping(): Promise<Error | undefined> {
    const { promise, resolve } = Promise.withResolvers<Error | undefined>()
    const silent = new Error('The server does not answer.')
    const get = this.url.startsWith('https:') ? https.get : http.get
    const signal = AbortSignal.timeout(LIMITS.serverProbeTimeoutMs)
    const request = get(new URL('/ping', this.url), { agent: false, ca: this.#login.ca, signal })
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
  ): Promise<ServerReply & { readonly isStale?: boolean }> {
    const request = this.#request(query, signal)
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
      if (request.reusedSocket) return connected()
      socket.setKeepAlive(true, PROBE_AFTER_MS)
      socket.once(this.url.startsWith('https:') ? 'secureConnect' : 'connect', connected)
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
      const isReset = 'code' in error && error.code === 'ECONNRESET'
      return { kind: 'none', isSent, error, isStale: isReset && request.reusedSocket }
    } finally {
      clearTimeout(timer)
    }
  }

  #request(query: ServerQuery, signal: AbortSignal): http.ClientRequest {
    const { id, frame, role } = query
    const url = new URL('/', this.url)
    url.search = new URLSearchParams({
      query_id: id,
      default_format: frame.format,
      ...(role === undefined ? {} : { role }),
      ...textsOf({ ...SERVER_SETTINGS, ...frame.settings }),
    }).toString()
    if (query.data) url.searchParams.set('query', query.sql)
    const { contentType, body } = query.data
      ? { contentType: 'text/csv', body: query.data }
      : writeForm(query)
    const { user, password } = this.#login
    const credentials = Buffer.from(`${user}:${password}`).toString('base64')
    const options = {
      method: 'POST',
      // On a new connection, an error tells whether the server can have read the request.
      agent: query.isRepeatable && this.#agent,
      ca: this.#login.ca,
      signal,
      headers: { authorization: `Basic ${credentials}`, 'content-type': contentType },
    }
    const send = url.protocol === 'https:' ? https.request : http.request
    return send(url, options).end(body)
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
