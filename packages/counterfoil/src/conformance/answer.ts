import { PROBLEM_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import type { Answer } from '../connection/exchange.ts'
import { printable } from '../print/print-outcome.ts'
import { CONFORMANCE_LIMITS } from './limits.ts'

export type { Answer }

/** The media type of an answer, without parameters. */
export function mediaTypeOf({ headers }: Answer): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Whether an answer says that the caller is not authorised (specification, "Errors"). */
export function isRefusal({ body }: Answer): boolean {
  return body.subarray(0, REFUSAL_PREFIX.length).toString() === REFUSAL_PREFIX
}

/** Whether a gateway refused the caller. A malformed signature may get a status of RFC 5849, 3.2. */
export function isRefused(answer: Answer): boolean {
  return isRefusal(answer) || [400, 401, 403].includes(answer.status)
}

/** Whether an answer is a report: status 200, and no refusal. */
export function isReport(answer: Answer): boolean {
  return answer.status === 200 && !isRefusal(answer)
}

/** Describes an answer in one line. It shows no rows of a report. */
export function describeAnswer(answer: Answer): string {
  const { status, isComplete } = answer
  const type = mediaTypeOf(answer) || 'no Content-Type'
  const cut = isComplete ? '' : ', and the connection was cut'
  return `status ${status}, ${type}: ${describeBody(answer, type)}${cut}`
}

function describeBody(answer: Answer, type: string): string {
  const { body } = answer
  if (type === PROBLEM_MEDIA_TYPE) return describeProblem(body)
  if (isReport(answer)) return `${body.length} bytes`
  // Another line of a refusal may show the base string.
  const [first = '', ...others] = body.toString().split('\n')
  const why = others
    .filter((line) => /^(?:Mistake|Step that failed|Reason): /.test(line))
    .map((line) => line.replace(/\.?$/, '.'))
  return shown([first, ...why].join(' '))
}

function describeProblem(body: Buffer): string {
  try {
    const { code, title, detail } = Object(JSON.parse(body.toString()))
    return shown([code ?? title, detail].filter((text) => typeof text === 'string').join(': '))
  } catch {
    return 'not JSON'
  }
}

/** Makes a text of the gateway safe to print. */
export function shown(text: string): string {
  const line = printable(text.slice(0, CONFORMANCE_LIMITS.shownLengthMax)).replaceAll(/\s+/g, ' ')
  return text.length > CONFORMANCE_LIMITS.shownLengthMax ? `${line}…` : line
}
