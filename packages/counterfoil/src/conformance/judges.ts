import { type Answer, describeAnswer, isRefused, isReport } from './answer.ts'
import type { Finding, Judge } from './check.ts'

/** Makes a finding about an answer. */
export function find(isRight: boolean, expected: string, answer: Answer): Finding {
  return { isRight, expected, got: describeAnswer(answer) }
}

/** Judges whether an answer has a property. */
export function expects(expected: string, isRight: (answer: Answer) => boolean): Judge {
  return (answer) => find(isRight(answer), expected, answer)
}

/** Judges that a gateway sent the report. */
export const sendsReport = expects('status 200 and the complete report', (answer) => {
  return isReport(answer) && answer.isComplete
})

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
