import { REFUSAL_PREFIX } from '@counterfoil/protocol'
import type { Refused } from '@counterfoil/signing'
import { maskCards } from './mask-cards.ts'

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
