import { type SigningKey, SigningError, type SignOptions, sign } from '@counterfoil/signing'
import { type Credentials, importKey, isViewSession, type ViewSession } from './credentials.ts'
import { InvalidSettings } from '../errors/counterfoil-error.ts'
import type { Answer, Transport, WaitOptions } from '../transport/transport.ts'

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
 * Creates a sender that signs each message anew as one login. The sender throws `InvalidSettings` for a malformed key,
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
    throw new InvalidSettings(`credentials: ${cause.message}`, { cause })
  }
}
