import { spellingsOf } from './operation.ts'
import { OPERATIONS } from './operations.ts'

/** Every spelling of the fields that hold a card's number or its verification value. */
export const SECRET_FIELD_NAMES: ReadonlySet<string> = new Set(
  Object.values(OPERATIONS).flatMap(({ fields }) => {
    return fields.filter(({ kind }) => kind === 'card' || kind === 'cvv').flatMap(spellingsOf)
  }),
)

// What others call a verification value.
const NAMES = [...SECRET_FIELD_NAMES, 'cvv', 'cvc', 'cvc2']
const NAMED = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${NAMES.join('|')})["'\\s\\\\]*[=:]`, 'iu')

/**
 * Whether a text names a secret field as if its value followed: `cvv2=739` or `{"cvv2":"739"}`, percent-encoded or not.
 * The work is linear.
 */
export function namesSecretField(text: string): boolean {
  const plain = text.replaceAll(/%(?:25)*([2-7][\dA-F])/gi, (_, byte: string) => {
    return String.fromCharCode(Number.parseInt(byte, 16))
  })
  return NAMED.test(plain)
}
