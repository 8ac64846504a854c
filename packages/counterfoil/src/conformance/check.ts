import { PROBLEM_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { printable } from '../print/text.ts'
import type { Answer } from './exchange.ts'
import type { Change, Secret, SignedRequest } from './sign-request.ts'

const SHOWN_LENGTH_MAX = 300

/** What came, and what was expected instead; or why a check does not apply to this gateway. */
type Finding =
  | { readonly expected?: string; readonly got?: string }
  | { readonly skip: string }
  | undefined

/** Compares an answer with what the check expects. It may send further requests. */
export type Judge = (
  answer: Answer,
  sent: { readonly gateway: Gateway; readonly request: SignedRequest },
) => Finding | Promise<Finding>

/** Requests to a gateway under test, one at a time. */
export interface Gateway {
  readonly secret: Secret
  /** Signs and sends a request for the report. Sends the request without a change once for all checks. */
  readonly ask: (change?: Change) => Promise<{ request: SignedRequest; answer: Answer }>
  readonly send: (request: SignedRequest) => Promise<Answer>
}

/** A check: a request, and what must come back. */
export type Check = readonly [
  /** Stable, in kebab-case. */
  id: string,
  level: 'must' | 'should',
  /** What the gateway does, as a sentence without a subject: "refuses a request that is sent twice". */
  title: string,
  clause: string,
  /** What the check sends, in words. */
  sent: string,
  change?: Change | undefined,
  judge?: Judge,
]

export interface Subject {
  readonly name: string
  /** Of the checks that have none of their own. */
  readonly judge: Judge
  readonly checks: readonly Check[]
}

export function find(isRight: boolean, expected: string, answer: Answer): Finding {
  const got = describeAnswer(answer)
  return isRight ? { got } : { expected, got }
}

export function expects(expected: string, isRight: (answer: Answer) => boolean): Judge {
  return (answer) => find(isRight(answer), expected, answer)
}

export const refusesCaller = expects(
  'no report, but a text that begins "You are not authorised", or status 400, 401 or 403',
  isRefused,
)

export function onReport(judge: Judge): Judge {
  return (answer, sent) => {
    return isReport(answer) ? judge(answer, sent) : find(false, 'the report', answer)
  }
}

export function mediaTypeOf({ headers }: Answer): string {
  return (headers['content-type'] ?? '').replace(/;.*/s, '').trim().toLowerCase()
}

/** Whether an answer says that the caller is not authorised (specification, "Errors"). */
export function isRefusal({ body }: Answer): boolean {
  return body.subarray(0, REFUSAL_PREFIX.length).toString() === REFUSAL_PREFIX
}

/** Whether a gateway refused the caller. A malformed signature may get a status of RFC 5849, 3.2. */
export function isRefused(answer: Answer): boolean {
  return isRefusal(answer) || [400, 401, 403].includes(answer.status)
}

export function isReport(answer: Answer): boolean {
  return answer.status === 200 && !isRefusal(answer)
}

/** Describes an answer in one line. It shows no rows of a report. */
export function describeAnswer(answer: Answer): string {
  const type = mediaTypeOf(answer)
  const cut = answer.isComplete ? '' : ', and the connection was cut'
  return `status ${answer.status}, ${type || 'no Content-Type'}: ${describeBody(answer)}${cut}`
}

function describeBody(answer: Answer): string {
  if (isReport(answer)) return `${answer.body.length} bytes`
  const text = answer.body.toString()
  if (mediaTypeOf(answer) === PROBLEM_MEDIA_TYPE) return shown(text)
  // Another line of a refusal may show the base string.
  const [first, ...others] = text.split('\n')
  const why = others.filter((line) => /^(?:Mistake|Step that failed|Reason): /.test(line))
  return shown([first, ...why.map((line) => line.replace(/\.?$/, '.'))].join(' '))
}

/** Makes a text of the gateway safe to print. */
export function shown(text: string): string {
  const line = printable(text.slice(0, SHOWN_LENGTH_MAX)).replaceAll(/\s+/g, ' ')
  return text.length > SHOWN_LENGTH_MAX ? `${line}…` : line
}
