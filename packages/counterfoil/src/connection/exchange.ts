import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import { NetworkError, tlsFaultOf } from '@counterfoil/client'

/** A request that is sent exactly as it is. */
export interface RawRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Uint8Array
}

/** An answer. */
export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders
  readonly trailers: Readonly<NodeJS.Dict<string>>
  readonly body: Buffer
  /** Whether the answer ended as HTTP says. Otherwise the connection was cut, or the answer is too long. */
  readonly isComplete: boolean
}

/** The certificates to trust, and the limits of an exchange. */
interface ExchangeOptions {
  readonly ca: string | undefined
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Longer answers are cut. */
  readonly bytesMax: number
}

/** How the message of an error begins if no answer arrives. */
export const NO_ANSWER = 'no answer'

/**
 * Sends a request on a connection of its own, and reads the answer. The client's transport would not send faulty
 * requests.
 *
 * @throws {NetworkError} if no answer arrives
 */
export async function exchange(request: RawRequest, options: ExchangeOptions): Promise<Answer> {
  const { ca, signal, timeoutMs, bytesMax } = options
  signal.throwIfAborted()
  const { method, url, headers, body } = request
  const { protocol, host } = new URL(url)
  const create = protocol === 'https:' ? requestHttps : requestHttp
  const common = { 'Content-Length': String(body.length), TE: 'trailers', Connection: 'close, TE' }
  const sent: ClientRequest = create(url, {
    method,
    headers: { ...common, ...headers },
    agent: false,
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
    signal,
  })
  const timer = setTimeout(() => sent.destroy(new Error('no answer in time')), timeoutMs)
  try {
    const head = headOfAnswer(sent)
    sent.end(body)
    return await readAnswer(await head, bytesMax)
  } catch (cause) {
    signal.throwIfAborted()
    const reason = cause instanceof Error ? cause.message || String(Reflect.get(cause, 'code')) : ''
    const fault = tlsFaultOf(cause)
    const why = fault === undefined ? reason : `${reason} (its certificate: ${fault})`
    throw new NetworkError(`${NO_ANSWER} from ${host}: ${why}`, false, { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** After a status 101, which nobody asked for, Node closes the connection without an error. */
async function headOfAnswer(sent: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    sent.once('response', resolve).on('error', reject)
    sent.once('close', () => reject(new Error('the connection was closed without an answer')))
  })
}

async function readAnswer(message: IncomingMessage, bytesMax: number): Promise<Answer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      length += chunk.length
      chunks.push(chunk)
      if (length > bytesMax) break
    }
  } catch {
    // The answer is not complete.
  }
  const { statusCode: status = 0, headers, trailers, complete } = message
  const isComplete = complete && length <= bytesMax
  return { status, headers, trailers, body: Buffer.concat(chunks), isComplete }
}
