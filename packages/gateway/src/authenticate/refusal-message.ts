import { REFUSAL_JSON_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import type { Diagnosis, Difference, Mistake, Refused } from '@counterfoil/signing'
import { LIMITS } from '@counterfoil/common'
import { maskCards, maskText } from './mask-cards.ts'

/** A refusal, and the mistake that led to it. */
export interface Explanation {
  readonly refused: Refused
  /** Undefined if the gateway left the diagnosis out, because many wait for one. */
  readonly diagnosis: Diagnosis | undefined
}

/**
 * Makes the text of a refusal (specification, "Errors"). With an explanation, as in the sandbox, the text begins with
 * the mistake and its fix, names the step that failed and shows the base string that the gateway built. Otherwise it
 * holds the request's id only. Each part is truncated before it is masked, so the work and the answer stay small
 * whatever a stranger sends.
 */
export function refusalMessage(requestId: string, explanation?: Explanation): string {
  const lines = [`${REFUSAL_PREFIX} to perform this request.`]
  if (explanation) lines.push(...showDiagnosis(explanation.diagnosis))
  lines.push(`Request id: ${requestId}`)
  if (explanation) lines.push(...showRefusal(explanation))
  return `${lines.join('\n')}\n`
}

/** Why the text names no mistake. */
const WITHOUT_MISTAKE = {
  unknown: 'none that the gateway knows leads to this signature.',
  'too-large': 'not looked for, because the request is too large.',
  'left-out': 'not looked for, because many requests were refused. Send this one again later.',
} as const

/** How a caller who writes a signer uses the base string. */
const NEXT_STEP =
  'Compare this base string with yours. If both are equal, the key is wrong: it may hold a line end, belong to ' +
  'another login or environment, or lack the "&" after it (HMAC-SHA1).'

function showDiagnosis(diagnosis: Diagnosis | undefined): readonly string[] {
  if (!diagnosis) return [`Mistake: ${WITHOUT_MISTAKE['left-out']}`]
  const { outcome, mistake, secondMistake, difference } = diagnosis
  if (!mistake) {
    return outcome === 'unknown' || outcome === 'too-large'
      ? [`Mistake: ${WITHOUT_MISTAKE[outcome]}`]
      : []
  }
  const lines = [...showMistake(mistake), ...(secondMistake ? showMistake(secondMistake) : [])]
  if (!difference) return lines
  return [...lines, `First difference of the base strings: ${placeOf(difference)}`]
}

/** Names the place of a difference: the character, and the part or parameter that holds it. */
export function placeOf({ at, part, parameter }: Difference): string {
  const name = part === 'url' ? 'URL' : part
  const place = parameter === undefined ? `the ${name}` : `the parameter ${maskText(parameter)}`
  return `character ${at}, in ${place}`
}

function showMistake({ code, sentence, fix, clause }: Mistake): readonly string[] {
  return [`Mistake: ${sentence}`, `Fix: ${fix}`, `Clause: ${clause} (${code})`]
}

function showRefusal({ refused, diagnosis }: Explanation): readonly string[] {
  const { step, reason, baseString, code } = refused
  const lines = [`Step that failed: ${step}`, `Reason: ${maskReason(reason)}`]
  if (baseString === undefined) return lines
  const { shown, left } = maskedBaseString(baseString)
  const without = left === 0 ? '' : `, without its last ${left} characters`
  lines.push(`Base string that the gateway built${without}:`, shown)
  if (code === 'signature-mismatch' && !diagnosis?.mistake) lines.push(NEXT_STEP)
  return lines
}

/** Truncates and masks a part of a reason. */
export function maskReason(reason: string): string {
  const max = LIMITS.refusalReasonLengthMax
  if (reason.length <= max) return maskText(reason)
  // Digits at the end may be the first digits of a card number.
  const truncated = reason.slice(0, max).replace(/[^\p{L}]{1,40}$/u, '')
  return `${maskText(truncated)}…`
}

/** Truncates and masks a base string, and counts the characters that it leaves out. */
export function maskedBaseString(baseString: string): {
  readonly shown: string
  readonly left: number
} {
  const truncated = cutAtParameter(baseString, LIMITS.shownBaseStringLengthMax)
  return { shown: maskCards(truncated), left: baseString.length - truncated.length }
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
  const message = `${REFUSAL_PREFIX} to perform this request.`
  return { message, requestId, ...(explanation && explain(explanation)) }
}

function explain({ refused, diagnosis }: Explanation): object {
  const { step, code, expected, got, baseString } = refused
  const { outcome = 'left-out', mistake, secondMistake, difference } = diagnosis ?? {}
  const { shown, left } = maskedBaseString(baseString ?? '')
  return {
    step,
    code,
    expected: maskReason(expected),
    ...(got !== undefined && { got: maskReason(got) }),
    diagnosis: outcome,
    ...(mistake && { mistake }),
    ...(secondMistake && { secondMistake }),
    ...(difference && {
      difference: { at: difference.at, part: difference.part, parameter: difference.parameter },
    }),
    ...(baseString !== undefined && { baseString: shown, baseStringCharactersLeftOut: left }),
  }
}

/** Whether a caller asks for a refusal as JSON by its media type. Every other caller gets the specification's text. */
export function asksForJson(accept = ''): boolean {
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    // A weight of 0 means "not acceptable" (RFC 9110, 12.4.2).
    return type === REFUSAL_JSON_MEDIA_TYPE && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one))
  })
}
