import { PROBLEM_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { printable } from '../print/text.ts'
import type { Answer } from './exchange.ts'
import type { Change, Secret, SignedRequest } from './sign-request.ts'

/** Characters of an answer that a result shows. */
const SHOWN_LENGTH_MAX = 300

/** How binding a check is: a gateway must pass it, or should. */
export type Level = 'must' | 'should'

/** What came, and what was expected instead; or why a check does not apply to this gateway. */
export type Finding =
  | { readonly expected?: string; readonly got?: string }
  | { readonly skip: string }
  | undefined

/** Compares an answer with what the check expects. It may send further requests. */
export type Judge = (answer: Answer, sent: Sent) => Finding | Promise<Finding>

/** What a check sent, and to whom. */
interface Sent {
  readonly gateway: Gateway
  readonly request: SignedRequest
}

/** Requests to a gateway under test, one at a time. */
export interface Gateway {
  readonly secret: Secret
  /** Signs and sends a request for the report. Sends the request without a change once for all checks. */
  readonly ask: (change?: Change) => Promise<{ request: SignedRequest; answer: Answer }>
  /** Sends a request once. */
  readonly send: (request: SignedRequest) => Promise<Answer>
}

/** A check: a request, and what must come back. The table has the judge of the checks that have none. */
export type Check = readonly [
  /** Stable, in kebab-case. */
  id: string,
  level: Level,
  /** What the gateway does, as a sentence without a subject: "refuses a request that is sent twice". */
  title: string,
  /** The clause that says so. */
  clause: string,
  /** What the check sends, in words. */
  sent: string,
  /** How the request differs from the plain one. Undefined if it does not. */
  change?: Change | undefined,
  judge?: Judge,
]

/** Checks of one subject. */
export interface Subject {
  readonly name: string
  readonly checks: readonly Check[]
  /** Judges the answers of the checks without a judge of their own. */
  readonly judge: Judge
}

/** Makes a finding about an answer. */
export function find(isRight: boolean, expected: string, answer: Answer): Finding {
  const got = describeAnswer(answer)
  return isRight ? { got } : { expected, got }
}

/** Judges whether an answer has a property. */
export function expects(expected: string, isRight: (answer: Answer) => boolean): Judge {
  return (answer) => find(isRight(answer), expected, answer)
}

/** Judges that a gateway refused the caller. */
export const refusesCaller = expects(
  'no report, but a text that begins "You are not authorised", or status 400, 401 or 403',
  isRefused,
)

/** Judges an answer that must be a report. */
export function onReport(judge: Judge): Judge {
  return (answer, sent) => {
    return isReport(answer) ? judge(answer, sent) : find(false, 'the report', answer)
  }
}

/** The media type of an answer, without parameters. */
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

/** Whether an answer is a report: status 200, and no refusal. */
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
