import { conforms, type JsonSchema, type ValueOf } from '@counterfoil/protocol'
import type { Answer, Transport, WaitOptions } from '../runtime/runtime.ts'
import {
  importControlKey,
  importPrivateKey,
  sign,
  SigningError,
  type SigningKey,
  type SignOptions,
} from '@counterfoil/signing'
import { CounterfoilError, createError, invalidSettings } from '../errors/counterfoil-error.ts'
import type { Retry } from './retry.ts'
import { failureOf, mediaTypeOf, parseJson, readText } from '../errors/read-failure.ts'

/** The login, with its control key (HMAC-SHA1) or its private key as PEM (RSA-SHA256). */
export type Credentials = { readonly login: string } & (
  | { readonly controlKey: string }
  | { readonly privateKey: string; readonly passphrase?: string }
)

/**
 * The login of a view session of the console, for a page of the gateway. The browser sends the cookie of the session,
 * and nothing is signed. The endpoint is `/console/session/reports` at the origin of the page.
 */
export interface ViewSession {
  readonly login: string
  readonly viewSession: true
}

/** Whether credentials are those of a view session. */
export function isViewSession(credentials: Credentials | ViewSession): credentials is ViewSession {
  return 'viewSession' in credentials
}

/** Imports the key of credentials. Throws a `SigningError` if the key is malformed. */
async function importKey(credentials: Credentials): Promise<SigningKey> {
  // A caller without types may pass undefined, from an unset variable.
  if ('controlKey' in credentials) return await importControlKey(credentials.controlKey ?? '')
  const { privateKey, passphrase } = credentials
  return await importPrivateKey(privateKey ?? '', passphrase === undefined ? {} : { passphrase })
}

/**
 * Parses the URL of an endpoint: `https:`, or `http:` to this machine. `allowPlainHttp` allows `http:` to any machine.
 * Throws `invalid-settings`, with a message that begins with the name of the setting.
 */
export function parseEndpoint(text: string, allowPlainHttp: boolean, setting = 'endpoint'): URL {
  const invalid = (expected: string) => invalidSettings(`${setting}: ${expected}`)
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid(`expected a URL that begins with https://, got ${JSON.stringify(text)}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('expected a URL without a user name or password: a key signs the requests')
  }
  if (url.protocol === 'http:' && !allowPlainHttp && !isLoopback(url.hostname)) {
    throw invalid(
      `expected https:, got http: to ${url.hostname}: anybody on the way can read plain HTTP`,
    )
  }
  return url
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}

/** A POST before it is signed. */
export interface Message {
  readonly url: URL
  readonly contentType: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Signs a message, unless it is of a view session, and sends it. Returns the head of the answer, whatever its status. */
export type Sender = (message: Message, signal: AbortSignal | undefined) => Promise<Answer>

/** What a sender signs and sends with. */
export interface SenderOptions {
  readonly credentials: Credentials | ViewSession
  readonly transport: Transport
  readonly idleTimeoutMs: number
  readonly signOptions: SignOptions
}

/**
 * Creates a sender that signs each message anew as one login. The sender throws `invalid-settings` for a malformed key,
 * before it sends anything.
 */
export function createSender(options: SenderOptions): Sender {
  const { credentials, transport, idleTimeoutMs, signOptions } = options
  let imported: Promise<SigningKey> | undefined
  const signedHeaders = async ({ url, contentType, body }: Message) => {
    if (isViewSession(credentials)) return { 'Content-Type': contentType }
    imported ??= asSettings(importKey(credentials))
    const message = { method: 'POST', url, contentType, body } as const
    const signer = { consumerKey: credentials.login, key: await imported }
    return (await asSettings(sign(message, signer, signOptions))).headers
  }
  return async (message, signal) => {
    const { url, body } = message
    const headers = { ...(await signedHeaders(message)), ...message.headers }
    const waitOptions: WaitOptions = { idleTimeoutMs, signal }
    return await transport({ method: 'POST', url, headers, body }, waitOptions)
  }
}

async function asSettings<T>(signing: Promise<T>): Promise<T> {
  try {
    return await signing
  } catch (cause) {
    if (!(cause instanceof SigningError)) throw cause
    throw invalidSettings(`credentials: ${cause.message}`, { cause })
  }
}

/** Returns what the gateway answers to a question about its reports and runs. Throws the errors of the client. */
export interface Asker {
  /** Returns the JSON of the answer if it has the shape of a schema, and is the content that was asked for. */
  json<Schema extends JsonSchema>(
    question: Question,
    schema: Schema,
    isAsked?: (content: ValueOf<Schema>) => boolean,
  ): Promise<ValueOf<Schema>>
  /** Returns the text of an answer with this media type. */
  text(question: Question, mediaType: string): Promise<string>
}

/** A question about the gateway's reports or runs. */
export interface Question {
  /** The path below the report URL, such as `/catalogue`. */
  readonly path: string
  readonly content?: object
  /** What the answer is, for error messages: `a catalogue`. */
  readonly expected: string
  readonly signal?: AbortSignal | undefined
}

/** Whether a gateway has no such path. A gateway that keeps only to the specification has no catalogue and no runs. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof CounterfoilError)) return false
  if (error.code === 'unexpected-body') return error.status === 404 || error.status === 405
  return error.code === 'report-refused' && error.problem.code === 'not-found'
}

/** Creates an asker for the paths below a report URL. */
export function createAsker(send: Sender, endpoint: () => URL, retry: Retry): Asker {
  const ask: Asker['text'] = async ({ path, content = {}, expected, signal }, mediaType) => {
    const url = endpoint()
    url.pathname = url.pathname.replace(/\/$/, '') + path
    const body = JSON.stringify(content)
    const headers = { Accept: mediaType }
    const answer = await send({ url, contentType: 'application/json', body, headers }, signal)
    const received = await readText(answer)
    if (answer.status === 200 && mediaTypeOf(answer) === mediaType) return received
    throw failureOf(answer, received, expected)
  }
  const text: Asker['text'] = async (question, mediaType) => {
    return await retry(() => ask(question, mediaType), question.signal)
  }
  return {
    text,
    async json(question, schema, isAsked = () => true) {
      const value = parseJson(await text(question, 'application/json'))
      if (conforms(schema, value) && isAsked(value)) return value
      throw createError('unexpected-body', `expected ${question.expected}, got other JSON`, {
        status: 200,
      })
    },
  }
}
