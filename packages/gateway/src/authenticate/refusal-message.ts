import { holdsCardNumber, OPERATIONS, REFUSAL_PREFIX, spellingsOf } from '@counterfoil/protocol'
import type { Refused } from '@counterfoil/signing'

/**
 * The text of a refusal (specification, "Errors"). In the sandbox it goes on with the step that failed and the base
 * string that the gateway built; in production the request's id is all that there is to ask about.
 */
export function refusalMessage(refused: Refused, requestId: string, explains: boolean): string {
  const lines = [`${REFUSAL_PREFIX} to perform this request.`, `Request id: ${requestId}`]
  if (explains) {
    lines.push(`Step that failed: ${refused.step}`, `Reason: ${refused.reason}`)
    if (refused.baseString !== undefined) {
      lines.push('Base string that the gateway built:', maskCards(refused.baseString))
    }
  }
  return `${lines.join('\n')}\n`
}

const SECRET_NAMES = Object.values(OPERATIONS)
  .flatMap(({ fields }) => fields.filter(({ kind }) => kind === 'card' || kind === 'cvv'))
  .flatMap(spellingsOf)

// In a base string `=` is %3D and `&` is %26: a name, and what stands up to the next parameter.
const SECRET_FIELDS = new RegExp(
  `((?:^|%26|&)(?:${SECRET_NAMES.join('|')}|card[-_]?number|cvv)%3D)((?:(?!%26)[^&])*)`,
  'gi',
)

// Digits as they stand in a base string, where a space is %2520; escapes are passed by, for they hold digits too.
const ESCAPE_OR_DIGITS = /%(?:25)?[\dA-F]{2}|\d(?:(?:%2520|-)?\d){11,}/gi

/** Masks the values of card and CVV fields, and whatever else looks like a card number, each character of it. */
function maskCards(baseString: string): string {
  return baseString
    .replaceAll(SECRET_FIELDS, (_, name: string, value: string) => name + '*'.repeat(value.length))
    .replaceAll(ESCAPE_OR_DIGITS, (found) => {
      return holdsCardNumber(found.replaceAll('%2520', ' ')) ? '*'.repeat(found.length) : found
    })
}
