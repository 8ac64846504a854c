import { importControlKey, importPrivateKey, type SigningKey } from '@counterfoil/signing'

/** A key as a person typed it. */
export interface TypedKey {
  readonly kind: 'control' | 'private'
  readonly text: string
}

export const NO_KEY: TypedKey = { kind: 'control', text: '' }

/**
 * Imports a typed key. People paste keys with line ends and spaces around them.
 *
 * @throws {SigningError} saying what is wrong with the text
 */
export async function importTypedKey({ kind, text }: TypedKey): Promise<SigningKey> {
  return kind === 'control'
    ? await importControlKey(text.trim())
    : await importPrivateKey(text.trim())
}
