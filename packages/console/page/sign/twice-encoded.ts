import { percentDecode } from '@counterfoil/signing'
import { TWICE_ENCODED_MAX } from './limits.ts'

/** One character after another, each of one to four bytes that are encoded twice. */
const TWICE = /((?:%25[0-9A-F]{2})+)/
const CHARACTER =
  /%25[0-7][0-9A-F]|%25[CD][0-9A-F]%25[89AB][0-9A-F]|%25E[0-9A-F](?:%25[89AB][0-9A-F]){2}|%25F[0-7](?:%25[89AB][0-9A-F]){3}/g

/** Splits a text so that every second piece is encoded twice. */
export function splitTwiceEncoded(text: string): readonly string[] {
  return text.split(TWICE)
}

/** A character with its first and its second encoding. */
export interface TwiceEncoded {
  readonly character: string
  readonly once: string
  readonly twice: string
}

/** Lists the different characters that a base string holds encoded twice. */
export function explainTwiceEncoded(baseString: string): readonly TwiceEncoded[] {
  const found = new Set(baseString.match(CHARACTER) ?? [])
  return [...found].slice(0, TWICE_ENCODED_MAX).map((twice) => {
    const once = twice.replaceAll('%25', '%')
    return { twice, once, character: showCharacter(percentDecode(once)) }
  })
}

/** Shows a space, a letter or a sign as it is, and any other character by its number. */
function showCharacter(character: string): string {
  if (/^[ \p{L}\p{N}\p{P}\p{S}]$/u.test(character)) return character
  const number = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return `U+${number}`
}
