import { REFUSAL_PREFIX } from '@counterfoil/protocol'
import type { Refused } from '@counterfoil/signing'
import { LIMITS } from '../limits.ts'
import { maskCards, maskText } from './mask-cards.ts'

/**
 * Makes the text of a refusal (specification, "Errors"). With `explains`, as in the sandbox, the text names the step
 * that failed and shows the base string that the gateway built. Otherwise it holds the request's id only. Each part is
 * truncated before it is masked, so the work and the answer stay small whatever a stranger sends.
 */
export function refusalMessage(refused: Refused, requestId: string, explains: boolean): string {
  const lines = [`${REFUSAL_PREFIX} to perform this request.`, `Request id: ${requestId}`]
  if (explains) {
    lines.push(`Step that failed: ${refused.step}`, `Reason: ${showReason(refused.reason)}`)
    if (refused.baseString !== undefined) {
      lines.push(...showBaseString(refused.baseString))
      if (refused.code === 'signature-mismatch') lines.push(NEXT_STEP)
    }
  }
  return `${lines.join('\n')}\n`
}

/** How a caller who writes a signer uses the base string. */
const NEXT_STEP =
  'Compare this base string with yours. If both are equal, the key is wrong: it may hold a line end, belong to ' +
  'another login or environment, or lack the "&" after it (HMAC-SHA1).'

function showReason(reason: string): string {
  const max = LIMITS.refusalReasonLengthMax
  if (reason.length <= max) return maskText(reason)
  // Digits at the end may be the first digits of a card number.
  const truncated = reason.slice(0, max).replace(/[^\p{L}]{1,40}$/u, '')
  return `${maskText(truncated)}…`
}

function showBaseString(baseString: string): readonly string[] {
  const truncated = cutAtParameter(baseString, LIMITS.shownBaseStringLengthMax)
  const left = baseString.length - truncated.length
  const shown = maskCards(truncated)
  if (left === 0) return ['Base string that the gateway built:', shown]
  const title = `Base string that the gateway built, without its last ${left} characters:`
  return [title, shown]
}

/**
 * Truncates a base string (RFC 5849, section 3.4.1) after the last parameter that fits, or else after the last of its
 * three parts that fits. A part of a parameter could hold a part of a card number, which no mask would recognise.
 */
function cutAtParameter(baseString: string, lengthMax: number): string {
  if (baseString.length <= lengthMax) return baseString
  const [method = '', url, parameters] = baseString.slice(0, lengthMax).split('&')
  if (url === undefined) return ''
  if (parameters === undefined) return `${method}&`
  const end = parameters.lastIndexOf('%26')
  return [method, url, end === -1 ? '' : parameters.slice(0, end)].join('&')
}
