import {
  importControlKey,
  importPrivateKey,
  percentEncode,
  type SigningKey,
} from '@counterfoil/signing'

export type KeyKind = 'control' | 'private'

/** A key as a person typed it. */
export interface TypedKey {
  readonly kind: KeyKind
  readonly text: string
}

/** Imports the key. Throws a `SigningError` that says what is wrong with the text. */
export async function importTypedKey({ kind, text }: TypedKey): Promise<SigningKey> {
  // People paste keys with line ends and spaces around them.
  const trimmed = text.trim()
  return kind === 'control' ? await importControlKey(trimmed) : await importPrivateKey(trimmed)
}

/** The key of HMAC-SHA1: the encoded control key, `&`, and an empty token secret. */
export function secretOf({ text }: TypedKey): string {
  return `${percentEncode(text.trim())}&`
}
