import { REFUSAL_JSON_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import type { Explanation } from './explain-refusal.ts'
import { maskReason, maskedBaseString } from './refusal-message.ts'

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
