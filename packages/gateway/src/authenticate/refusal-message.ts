import { OPERATIONS, REFUSAL_PREFIX, spellingsOf } from '@counterfoil/protocol'
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

/** Masks the values of card and CVV fields, each character of them. */
function maskCards(baseString: string): string {
  return baseString.replaceAll(SECRET_FIELDS, (_, name: string, value: string) => {
    return name + '*'.repeat(value.length)
  })
}
