import { REFUSAL_PREFIX } from '@counterfoil/protocol'
import type { Diagnosis, Difference, Refused } from '@counterfoil/signing'
import { LIMITS } from '@counterfoil/common'
import { maskBaseString, maskText, truncateAndMask } from '../observe/mask.ts'

/** A refusal, and the mistake that led to it. */
export interface Explanation {
  readonly refused: Refused
  /** Undefined if the gateway left the diagnosis out, because many wait for one. */
  readonly diagnosis: Diagnosis | undefined
}

const FIRST_LINE = `${REFUSAL_PREFIX} to perform this request.`

const NEXT_STEP =
  'Compare this base string with yours. If both are equal, the key is wrong: it may hold a line end, belong to ' +
  'another login or environment, or lack the "&" after it (HMAC-SHA1).'

const WITHOUT_MISTAKE: Readonly<Record<string, string>> = {
  unknown: 'none that the gateway knows leads to this signature.',
  'too-large': 'not looked for, because the request is too large.',
  'left-out': 'not looked for, because many requests were refused. Send this one again later.',
}

/**
 * Makes the text of a refusal (specification, "Errors"). With an explanation, as in the sandbox, the text begins with
 * the mistake and its fix, names the step that failed and shows the base string that the gateway built. Otherwise it
 * holds the request's id only. Each part is truncated before it is masked, so the work and the answer stay small
 * whatever a stranger sends.
 */
export function refusalMessage(requestId: string, explanation?: Explanation): string {
  const lines = [FIRST_LINE, `Request id: ${requestId}`]
  if (explanation) {
    const { refused, diagnosis } = explanation
    lines.splice(1, 0, ...mistakeLines(diagnosis))
    lines.push(...stepLines(refused))
    const isUnknown = refused.code === 'signature-mismatch' && !diagnosis?.mistake
    if (isUnknown && refused.baseString !== undefined) lines.push(NEXT_STEP)
  }
  return `${lines.join('\n')}\n`
}

/** Names the mistakes with their fixes, or says why there is none to name. */
export function mistakeLines(diagnosis: Explanation['diagnosis']): readonly string[] {
  const { outcome = 'left-out', mistake, secondMistake, difference } = diagnosis ?? {}
  const lines = [mistake ?? [], secondMistake ?? []].flat().flatMap((one) => {
    return [`Mistake: ${one.sentence}`, `Fix: ${one.fix}`, `Clause: ${one.clause} (${one.code})`]
  })
  const why = WITHOUT_MISTAKE[outcome]
  if (!mistake && why !== undefined) lines.push(`Mistake: ${why}`)
  if (difference) lines.push(`First difference of the base strings: ${placeOf(difference)}`)
  return lines
}

/** Names the character of a difference, and the part or parameter that holds it. */
function placeOf({ at, part, parameter }: Difference): string {
  const name = part === 'url' ? 'URL' : part
  const place = parameter === undefined ? `the ${name}` : `the parameter ${maskText(parameter)}`
  return `character ${at}, in ${place}`
}

export function stepLines({ step, reason, baseString }: Refused): readonly string[] {
  const lines = [`Step that failed: ${step}`, `Reason: ${maskReason(reason)}`]
  if (baseString === undefined) return lines
  const { shown, left } = shownBaseString(baseString)
  const without = left === 0 ? '' : `, without its last ${left} characters`
  return [...lines, `Base string that the gateway built${without}:`, shown]
}

export function maskReason(reason: string): string {
  return truncateAndMask(reason, LIMITS.refusalReasonLengthMax)
}

function shownBaseString(baseString: string): { readonly shown: string; readonly left: number } {
  const truncated = cutAtParameter(baseString, LIMITS.shownBaseStringLengthMax)
  return { shown: maskBaseString(truncated), left: baseString.length - truncated.length }
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

/** Makes the JSON of a refusal, with the same facts as its text: in production, the request's id alone. */
export function refusalContent(requestId: string, explanation?: Explanation): object {
  return { message: FIRST_LINE, requestId, ...(explanation && factsOf(explanation)) }
}

function factsOf({ refused, diagnosis }: Explanation): object {
  const { step, code, expected, got, baseString } = refused
  const { outcome = 'left-out', mistake, secondMistake, difference } = diagnosis ?? {}
  const { shown, left } = shownBaseString(baseString ?? '')
  return {
    step,
    code,
    expected: maskReason(expected),
    ...(got !== undefined && { got: maskReason(got) }),
    diagnosis: outcome,
    mistake,
    secondMistake,
    ...(difference && {
      difference: {
        at: difference.at,
        part: difference.part,
        parameter: difference.parameter && maskText(difference.parameter),
      },
    }),
    ...(baseString !== undefined && { baseString: shown, baseStringCharactersLeftOut: left }),
  }
}
