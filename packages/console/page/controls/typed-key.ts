import { importControlKey, importPrivateKey, type SigningKey } from '@counterfoil/signing'

/** A key as a person typed it. */
export interface TypedKey {
  readonly kind: 'control' | 'private'
  readonly text: string
}

export const NO_KEY: TypedKey = { kind: 'control', text: '' }

/** Imports a typed key, without the line ends and spaces that people paste around it. Throws `SigningError`. */
export async function importTypedKey({ kind, text }: TypedKey): Promise<SigningKey> {
  return kind === 'control'
    ? await importControlKey(text.trim())
    : await importPrivateKey(text.trim())
}
