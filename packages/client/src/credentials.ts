import { type SigningKey, importControlKey, importPrivateKey } from '@counterfoil/signing'

/** Who asks: the login, with its control key (HMAC-SHA1) or its private key as PEM (RSA-SHA256). */
export type Credentials = { readonly login: string } & (
  | { readonly controlKey: string }
  | { readonly privateKey: string; readonly passphrase?: string }
)

/** Imports the key of some credentials. Throws a `SigningError` that says what was expected. */
export async function importKey(credentials: Credentials): Promise<SigningKey> {
  // Without types, a key from an unset variable arrives as undefined.
  if ('controlKey' in credentials) return await importControlKey(credentials.controlKey ?? '')
  const { privateKey, passphrase } = credentials
  return await importPrivateKey(privateKey ?? '', passphrase === undefined ? {} : { passphrase })
}
