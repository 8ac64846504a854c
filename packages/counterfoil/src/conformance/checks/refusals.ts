import { REFUSAL_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { type Answer, isRefusal, isReport, mediaTypeOf, shown } from '../answer.ts'
import type { Check, Finding, Subject } from '../check.ts'
import { check, type CheckTexts, find, findTexts } from '../make-checks.ts'
import type { Gateway } from '../gateway.ts'
import { type Change, signBase } from '../sign-request.ts'

const lookUp = findTexts(`
refusal-text | must | says that the caller is not authorised | specification, Errors | a request with a wrong signature
refusal-status | should | answers an unauthorised caller with status 200 | specification, Errors | a request with a wrong signature
refusal-media-type | must | answers an unauthorised caller with text/plain | specification, Errors | a request with a wrong signature
refusal-no-file | must | sends no file to an unauthorised caller | specification, Errors | a request with a wrong signature
refusal-keeps-secrets | must | shows neither the key nor the right signature in a refusal | specification, Credentials | a request with a wrong signature
refusal-reveals-no-login | should | answers an unknown login as it answers a wrong signature | specification, Errors | a request of a login that does not exist, and one with a wrong signature
refusal-explains | should | shows the base string that it built, if it explains refusals | docs/protocol.md, Where the specification is silent | a request with a wrong signature
`)

/** A signature that no key of the login makes. Its length is right. */
const WRONG: Change = {
  sign: (base, secret) => {
    const bytes = Buffer.from(signBase(base, secret), 'base64')
    bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
    return bytes.toString('base64')
  },
}

const CHECKS: readonly Check[] = [
  onRefusal(lookUp('refusal-text'), (answer) =>
    find(isRefusal(answer), `a body that begins "${REFUSAL_PREFIX}"`, answer),
  ),
  onRefusal(lookUp('refusal-status'), (answer) =>
    find(answer.status === 200, 'status 200', answer),
  ),
  onRefusal(lookUp('refusal-media-type'), (answer) =>
    find(mediaTypeOf(answer) === REFUSAL_MEDIA_TYPE, REFUSAL_MEDIA_TYPE, answer),
  ),
  onRefusal(lookUp('refusal-no-file'), (answer) => {
    const isFile = answer.headers['content-disposition'] !== undefined
    return find(!isFile, 'no header Content-Disposition', answer)
  }),
  check(lookUp('refusal-keeps-secrets'), async (gateway) => {
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
  }),
  check(lookUp('refusal-reveals-no-login'), async (gateway) => {
    const wrong = await gateway.ask(WRONG)
    if (explains(wrong)) return { skip: 'this environment explains its refusals, as a sandbox may' }
    const unknown = await gateway.ask({
      oauth: ({ oauth_nonce: random }) => ({ oauth_consumer_key: `nobody-${random}` }),
    })
    const report = [wrong, unknown].find(isReport)
    if (report) return find(false, 'two refusals', report)
    const isRight = withoutIds(wrong) === withoutIds(unknown)
    return { isRight, expected: shown(withoutIds(wrong)), got: shown(withoutIds(unknown)) }
  }),
  check(lookUp('refusal-explains'), async (gateway) => {
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
  }),
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
