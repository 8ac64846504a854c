import type { IncomingMessage } from 'node:http'
import { sign, SigningError, type SignOptions } from '@counterfoil/signing'
import { type Credentials, importKey } from './credentials.ts'
import { type WaitOptions, send } from './exchange.ts'
import { ReportError } from './report-error.ts'

/** Credentials, trust and timeouts. */
export type SenderOptions = Credentials & {
  /** Certificates to trust instead of the system's, as PEM. */
  readonly ca?: string
  /** Allows an `http:` URL of another machine. */
  readonly allowPlainHttp?: boolean
  /** How long the gateway may send nothing, before its answer and within it; by default 120,000. */
  readonly idleTimeoutMs?: number
}

/** A POST request before it is signed. */
export interface Message {
  readonly url: URL
  readonly contentType: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Signs and sends a message. Returns the head of the answer, and the options to read the rest with. */
export type Sender = (
  message: Message,
  signal: AbortSignal | undefined,
) => Promise<{ readonly answer: IncomingMessage; readonly waitOptions: WaitOptions }>

const IDLE_TIMEOUT_MS = 120_000

/** Creates a sender that signs as one login. Throws `settings` for a missing login or a malformed key. */
export async function createSender(
  options: SenderOptions,
  signOptions: SignOptions = {},
): Promise<Sender> {
  const { login, ca, idleTimeoutMs = IDLE_TIMEOUT_MS } = options
  if (!login) throw new ReportError('settings', 'login: your login is missing')
  const key = await asSettings(importKey(options))
  return async ({ url, contentType, body, headers }, signal) => {
    const message = { method: 'POST', url, contentType, body }
    const signed = await asSettings(sign(message, { consumerKey: login, key }, signOptions))
    const sent = { ...signed.headers, 'Accept-Encoding': 'identity', ...headers }
    const waitOptions = { idleTimeoutMs, signal }
    const post = { url, headers: sent, body: Buffer.from(body), ca }
    return { answer: await send(post, waitOptions), waitOptions }
  }
}

async function asSettings<T>(signing: Promise<T>): Promise<T> {
  try {
    return await signing
  } catch (cause) {
    if (!(cause instanceof SigningError)) throw cause
    throw new ReportError('settings', `credentials: ${cause.message}`, { cause })
  }
}
