import { conforms, type JsonSchema, type ValueOf } from '@counterfoil/protocol'
import type { Answer, Transport } from '../runtime/runtime.ts'
import {
  importControlKey,
  importPrivateKey,
  isForm,
  sign,
  SigningError,
  type SigningKey,
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

export function isViewSession(credentials: Credentials | ViewSession): credentials is ViewSession {
  return 'viewSession' in credentials
}

/** Throws a `SigningError` if the key is malformed. */
async function importKey(credentials: Credentials): Promise<SigningKey> {
  // A caller without types may pass undefined, from an unset variable.
  if ('controlKey' in credentials) return await importControlKey(credentials.controlKey ?? '')
  const { privateKey, passphrase } = credentials
  return await importPrivateKey(privateKey ?? '', passphrase === undefined ? {} : { passphrase })
}

/** Throws `invalid-settings` for anything but `https:`, or `http:` to this machine. The message names the setting. */
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
interface Message {
  readonly url: URL
  readonly contentType: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Signs a message, unless it is of a view session, and sends it. Returns the head of the answer, whatever its status. */
export type Sender = (message: Message, signal: AbortSignal | undefined) => Promise<Answer>

interface SenderOptions {
  readonly credentials: Credentials | ViewSession
  readonly transport: Transport
  readonly idleTimeoutMs: number
  readonly signBody: boolean
}

/** Creates a sender that signs each message anew. It throws `invalid-settings` for a malformed key before it sends. */
export function createSender(options: SenderOptions): Sender {
  const { credentials, transport, idleTimeoutMs, signBody } = options
  let imported: Promise<SigningKey> | undefined
  const signedHeaders = async ({ url, contentType, body }: Message) => {
    if (isViewSession(credentials)) return { 'Content-Type': contentType }
    imported ??= asSettings(importKey(credentials))
    const message = { method: 'POST', url, contentType, body } as const
    const signer = { consumerKey: credentials.login, key: await imported }
    // A form is part of the signature, so its body has no hash.
    const isHashed = signBody && !isForm(contentType)
    const signed = sign(message, signer, isHashed ? { bodyHash: 'SHA-256' } : {})
    return (await asSettings(signed)).headers
  }
  return async (message, signal) => {
    const { url, body } = message
    const headers = { ...(await signedHeaders(message)), ...message.headers }
    return await transport({ method: 'POST', url, headers, body }, { idleTimeoutMs, signal })
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

/** Returns the text of the gateway's answer to a question. Throws the errors of the client. */
export type Ask = (question: Question) => Promise<string>

export interface Question {
  /** The path below the report URL, such as `/catalogue`. */
  readonly path: string
  readonly content?: object
  /** What the answer is, for error messages: `a catalogue`. */
  readonly expected: string
  /** The media type of the answer; by default JSON. */
  readonly mediaType?: string
  readonly signal?: AbortSignal | undefined
}

const JSON_TYPE = 'application/json'

/** Whether a gateway has no such path. A gateway that keeps only to the specification has no catalogue and no runs. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof CounterfoilError)) return false
  if (error.code === 'unexpected-body') return error.status === 404 || error.status === 405
  return error.code === 'report-refused' && error.problem.code === 'not-found'
}

/** Creates a function that asks for the paths below a report URL. */
export function createAsk(send: Sender, endpoint: () => URL, retry: Retry): Ask {
  return async ({ path, content = {}, expected, mediaType = JSON_TYPE, signal }) => {
    const ask = async () => {
      const url = endpoint()
      url.pathname = url.pathname.replace(/\/$/, '') + path
      const body = JSON.stringify(content)
      const headers = { Accept: mediaType }
      const answer = await send({ url, contentType: JSON_TYPE, body, headers }, signal)
      const received = await readText(answer)
      if (answer.status === 200 && mediaTypeOf(answer) === mediaType) return received
      throw failureOf(answer, received, expected)
    }
    return await retry(ask, signal)
  }
}

/** Asks for JSON. Returns it if it has the shape of a schema, and is the content that was asked for. */
export async function askJson<Schema extends JsonSchema>(
  ask: Ask,
  question: Question,
  schema: Schema,
  isAsked: (content: ValueOf<Schema>) => boolean = () => true,
): Promise<ValueOf<Schema>> {
  const value = parseJson(await ask(question))
  if (conforms(schema, value) && isAsked(value)) return value
  const message = `expected ${question.expected}, got other JSON`
  throw createError('unexpected-body', message, { status: 200 })
}
