import { type SigningKey, importControlKey, importPrivateKey } from '@counterfoil/signing'

/** The login, with its control key (HMAC-SHA1) or its private key as PEM (RSA-SHA256). */
export type Credentials = { readonly login: string } & (
  | { readonly controlKey: string }
  | { readonly privateKey: string; readonly passphrase?: string }
)

/** Imports the key of credentials. Throws a `SigningError` if the key is malformed. */
export async function importKey(credentials: Credentials): Promise<SigningKey> {
  // A caller without types may pass undefined, from an unset variable.
  if ('controlKey' in credentials) return await importControlKey(credentials.controlKey ?? '')
  const { privateKey, passphrase } = credentials
  return await importPrivateKey(privateKey ?? '', passphrase === undefined ? {} : { passphrase })
}
