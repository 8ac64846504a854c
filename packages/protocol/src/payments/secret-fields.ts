import { spellingsOf } from './operation.ts'
import { OPERATIONS } from './operations.ts'

/** Every spelling of the fields with a card's number or verification value. */
export const SECRET_FIELD_NAMES: ReadonlySet<string> = new Set(
  Object.values(OPERATIONS).flatMap(({ fields }) => {
    return fields.filter(({ kind }) => kind === 'card' || kind === 'cvv').flatMap(spellingsOf)
  }),
)

// Other names of the verification value.
const OTHER_NAMES = ['cvv', 'cvc', 'cvc2', 'cvn', 'cvn2', 'cvd', 'cvd2', 'cav2', 'csc']
const NAMES = [...SECRET_FIELD_NAMES, ...OTHER_NAMES]
const NAMED = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${NAMES.join('|')})["'\\s\\\\]*[=:]`, 'iu')

/** Whether a text has the name of a secret field before a value: `cvv2=739` or `{"cvv2":"739"}`. It takes linear time. */
export function namesSecretField(text: string): boolean {
  return NAMED.test(text)
}
