import { REFUSAL_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { type Answer, isRefusal, isReport, mediaTypeOf, shown } from '../answer.ts'
import type { Check, Finding, Subject } from '../check.ts'
import { check, type CheckTexts, find } from '../make-checks.ts'
import type { Gateway } from '../gateway.ts'
import { type Change, signBase } from '../sign-request.ts'

const CLAUSE = 'specification, Errors'
const SENT = 'a request with a wrong signature'

/** A signature that no key of the login makes. Its length is right. */
const WRONG: Change = {
  sign: (base, secret) => {
    const bytes = Buffer.from(signBase(base, secret), 'base64')
    bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
    return bytes.toString('base64')
  },
}

const CHECKS: readonly Check[] = [
  onRefusal(
    {
      id: 'refusal-text',
      title: 'says that the caller is not authorised',
      clause: CLAUSE,
      sent: SENT,
    },
    (answer) => find(isRefusal(answer), `a body that begins "${REFUSAL_PREFIX}"`, answer),
  ),
  onRefusal(
    {
      id: 'refusal-status',
      title: 'answers an unauthorised caller with status 200',
      clause: CLAUSE,
      level: 'should',
      sent: SENT,
    },
    (answer) => find(answer.status === 200, 'status 200', answer),
  ),
  onRefusal(
    {
      id: 'refusal-media-type',
      title: 'answers an unauthorised caller with text/plain',
      clause: CLAUSE,
      sent: SENT,
    },
    (answer) => find(mediaTypeOf(answer) === REFUSAL_MEDIA_TYPE, REFUSAL_MEDIA_TYPE, answer),
  ),
  onRefusal(
    {
      id: 'refusal-no-file',
      title: 'sends no file to an unauthorised caller',
      clause: CLAUSE,
      sent: SENT,
    },
    (answer) => {
      const isFile = answer.headers['content-disposition'] !== undefined
      return find(!isFile, 'no header Content-Disposition', answer)
    },
  ),
  check(
    {
      id: 'refusal-keeps-secrets',
      title: 'shows neither the key nor the right signature in a refusal',
      clause: 'specification, Credentials',
      sent: SENT,
    },
    async (gateway) => {
      const { secret } = gateway
      let right = ''
      const answer = await gateway.ask({
        sign: (base, own) => {
          right = signBase(base, own)
          return WRONG.sign?.(base, own) ?? ''
        },
      })
      const secrets = [right, ...(secret.method === 'HMAC-SHA1' ? [secret.controlKey] : [])]
      const text = answer.body.toString()
      const isShown = secrets.some(
        (each) => text.includes(each) || text.includes(encodeURIComponent(each)),
      )
      return {
        isRight: !isShown,
        expected: 'neither of them',
        got: isShown ? 'one of them' : 'neither of them',
      }
    },
  ),
  check(
    {
      id: 'refusal-reveals-no-login',
      title: 'answers an unknown login as it answers a wrong signature',
      clause: CLAUSE,
      level: 'should',
      sent: 'a request of a login that does not exist, and one with a wrong signature',
    },
    async (gateway) => {
      const wrong = await gateway.ask(WRONG)
      if (explains(wrong))
        return { skip: 'this environment explains its refusals, as a sandbox may' }
      const unknown = await gateway.ask({
        oauth: ({ oauth_nonce: random }) => ({ oauth_consumer_key: `nobody-${random}` }),
      })
      const report = [wrong, unknown].find(isReport)
      if (report) return find(false, 'two refusals', report)
      const isRight = withoutIds(wrong) === withoutIds(unknown)
      return { isRight, expected: shown(withoutIds(wrong)), got: shown(withoutIds(unknown)) }
    },
  ),
  check(
    {
      id: 'refusal-explains',
      title: 'shows the base string that it built, if it explains refusals',
      clause: 'docs/protocol.md, Where the specification is silent',
      level: 'should',
      sent: SENT,
    },
    async (gateway) => {
      let base = ''
      const sign: Change['sign'] = (own, secret) => {
        base = own
        return WRONG.sign?.(own, secret) ?? ''
      }
      const answer = await gateway.ask({ sign })
      if (!explains(answer)) return { skip: 'needs an environment that explains its refusals' }
      // A gateway may mask digits.
      const lines = answer.body.toString().split('\n').map(withoutDigits)
      const isShown = lines.includes(withoutDigits(base))
      return find(isShown, 'the base string as one of the lines', answer)
    },
  ),
]

/** How a gateway refuses a caller. */
export const REFUSALS: Subject = { name: 'The refusal', checks: CHECKS }

function onRefusal(texts: CheckTexts, judge: (answer: Answer) => Finding): Check {
  return check(texts, async (gateway: Gateway) => {
    const answer = await gateway.ask(WRONG)
    return isReport(answer) ? find(false, 'a refusal', answer) : judge(answer)
  })
}

function explains({ body }: Answer): boolean {
  return body.includes('oauth_consumer_key%3D')
}

/** The text of a refusal without ids, which differ. */
function withoutIds({ status, body }: Answer): string {
  return `${status} ${body
    .toString()
    .replaceAll(/[\da-f-]{8,}/gi, '…')
    .trim()}`
}

function withoutDigits(text: string): string {
  return text.replaceAll(/[\d*]/g, '0')
}
