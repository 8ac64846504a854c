import type { IncomingMessage } from 'node:http'
import { sign, SigningError, type SignOptions } from '@counterfoil/signing'
import { type Credentials, importKey } from './credentials.ts'
import { type Patience, send } from './exchange.ts'
import { ReportError } from './report-error.ts'

/** As whom to ask, and how. */
export type SenderOptions = Credentials & {
  /** Certificates, as PEM, to trust instead of the system's. */
  readonly ca?: string
  /** Lets an `http:` URL be another machine than this one. */
  readonly allowPlainHttp?: boolean
  /** How long the gateway may be silent, before its answer and within it; 120,000 where it is absent. */
  readonly idleTimeoutMs?: number
}

/** What is sent to a URL, as one POST. */
export interface Message {
  readonly url: URL
  readonly contentType: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Signs a message, sends it, and returns the head of the answer with the patience to read the rest with. */
export type Sender = (
  message: Message,
  signal: AbortSignal | undefined,
) => Promise<{ readonly answer: IncomingMessage; readonly patience: Patience }>

const IDLE_TIMEOUT_MS = 120_000

/** Makes a sender that signs as one login. Throws `settings` for a missing login or a malformed key. */
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
    const patience = { idleTimeoutMs, signal }
    const post = { url, headers: sent, body: Buffer.from(body), ca }
    return { answer: await send(post, patience), patience }
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
