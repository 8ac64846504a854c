import type { SignatureMethod } from '@counterfoil/signing'
import { type Answer, describeAnswer, isRefusal, isReport } from './answer.ts'
import type { Check, Finding, Judge, Level } from './check.ts'
import type { Gateway } from './gateway.ts'
import type { Change } from './sign-request.ts'

/** What every check says about itself. */
export type CheckTexts = Omit<Check, 'run' | 'level'> & { readonly level?: Level }

const KEYS: Readonly<Record<SignatureMethod, string>> = {
  'HMAC-SHA1': 'needs a control key (--control-key-file)',
  'RSA-SHA256': 'needs an RSA key (--private-key)',
}

/** Judges that a gateway sent the report. */
export const sendsReport: Judge = (answer) => {
  return find(isReport(answer) && answer.isComplete, 'status 200 and the complete report', answer)
}

/** Judges that a gateway refused the caller. A malformed signature may get a status of RFC 5849, 3.2. */
export const refusesCaller: Judge = (answer) => {
  const isRight = isRefusal(answer) || [400, 401, 403].includes(answer.status)
  const expected =
    'no report, but a text that begins "You are not authorised", or status 400, 401 or 403'
  return find(isRight, expected, answer)
}

/** Judges that a gateway found a fault in the request of an accepted caller. */
export const findsFault: Judge = (answer) => {
  const isRight = answer.status >= 400 && answer.status < 500 && !isRefusal(answer)
  return find(isRight, 'status 400 to 499, and no report', answer)
}

/** Makes a check that sends a request for the report with a change. */
export function asks(texts: CheckTexts, change: Change, judge: Judge): Check {
  return check(texts, async (gateway) => judge(await gateway.ask(change)))
}

/** A check that a request with a change is refused: its id, its title, its clause, what it sends, and the change. */
export type RefusalRow = readonly [
  id: string,
  title: string,
  clause: string,
  sent: string,
  change: Change,
]

/** Makes a check that a request with a change is refused. */
export function refuses(
  [id, title, clause, sent, change]: RefusalRow,
  level: Level = 'must',
): Check {
  return asks({ id, title, clause, level, sent }, change, refusesCaller)
}

/** Makes a check. It is a must unless its texts say otherwise. */
export function check(texts: CheckTexts, run: Check['run']): Check {
  return { level: 'must', ...texts, run }
}

/** Limits a check to the keys of a method. */
export function onlyFor(method: SignatureMethod, limited: Check): Check {
  const run = async (gateway: Gateway): Promise<Finding> => {
    return gateway.secret.method === method ? await limited.run(gateway) : { skip: KEYS[method] }
  }
  return { ...limited, run }
}

/** Makes a finding about an answer. */
export function find(isRight: boolean, expected: string, answer: Answer): Finding {
  return { isRight, expected, got: describeAnswer(answer) }
}
