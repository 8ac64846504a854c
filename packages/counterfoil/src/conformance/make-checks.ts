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

/** How the request of each check differs from the plain one, by the id of the check. */
export type Changes = Readonly<Record<string, Change>>

/** Reads a table of checks. A line is a check: `id | level | title | clause | what it sends`. */
export function readTexts(table: string): readonly CheckTexts[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', level, title = '', clause = '', sent = ''] = line.split(' | ')
      return { id, level: level === 'must' ? 'must' : 'should', title, clause, sent }
    })
}

/** Reads a table of checks, and finds the texts of each by its id. */
export function findTexts(table: string): (id: string) => CheckTexts {
  const all = new Map(readTexts(table).map((texts) => [texts.id, texts]))
  return (id) => {
    const texts = all.get(id)
    if (!texts) throw new Error(`The table lacks the check ${id}.`)
    return texts
  }
}

/** Makes checks that send a request for the report with a change, and judge all answers alike. */
export function asksEach(table: string, changes: Changes, judge: Judge): readonly Check[] {
  return readTexts(table).map((texts) => {
    const change = changes[texts.id]
    if (!change) throw new Error(`No change for the check ${texts.id}.`)
    return asks(texts, change, judge)
  })
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
