import { importControlKey, importPrivateKey, type SigningKey } from '@counterfoil/signing'
import { InvalidSettings } from '../errors/counterfoil-error.ts'

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
export async function importKey(credentials: Credentials): Promise<SigningKey> {
  // A caller without types may pass undefined, from an unset variable.
  if ('controlKey' in credentials) return await importControlKey(credentials.controlKey ?? '')
  const { privateKey, passphrase } = credentials
  return await importPrivateKey(privateKey ?? '', passphrase === undefined ? {} : { passphrase })
}

/**
 * Parses the URL of an endpoint: `https:`, or `http:` to this machine. `allowPlainHttp` allows `http:` to any machine.
 * Throws `InvalidSettings`, with a message that begins with the name of the setting.
 */
export function parseEndpoint(text: string, allowPlainHttp: boolean, setting = 'endpoint'): URL {
  const invalid = (expected: string) => new InvalidSettings(`${setting}: ${expected}`)
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
