import { REFUSAL_PREFIX } from '@counterfoil/protocol'
import type { Explanation } from './explain-refusal.ts'
import { maskReason, maskedBaseString } from './refusal-message.ts'

/** Makes the JSON of a refusal in the sandbox, with the same facts as its text. */
export function refusalContent(requestId: string, { refused, diagnosis }: Explanation): object {
  const { step, code, expected, got, baseString } = refused
  const { outcome = 'left-out', mistake, secondMistake, difference } = diagnosis ?? {}
  const { shown, left } = maskedBaseString(baseString ?? '')
  return {
    message: `${REFUSAL_PREFIX} to perform this request.`,
    requestId,
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

/** Whether a caller prefers JSON to the text of the specification. Without a preference, it gets the text. */
export function prefersJson(accept = ''): boolean {
  const types = accept.split(',').map(parseType)
  const qualityOf = (...names: readonly string[]) => {
    return types.find(({ name }) => names.includes(name))?.quality ?? 0
  }
  const json = qualityOf('application/json')
  return json > 0 && json > qualityOf('text/plain', 'text/*')
}

/** Parses an element of `Accept` (RFC 9110, section 12.5.1). */
function parseType(text: string): { readonly name: string; readonly quality: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return { name, quality: quality === undefined ? 1 : Number(quality) || 0 }
}
