import { type SigningKey, importControlKey, importPrivateKey } from '@counterfoil/signing'

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
