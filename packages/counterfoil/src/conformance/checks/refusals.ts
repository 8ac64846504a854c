import { REFUSAL_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { type Answer, isRefusal, isReport, mediaTypeOf, shown } from '../answer.ts'
import { resigned, UNKNOWN_LOGIN } from '../changes.ts'
import { type CheckRow, checksOf, type Judge, type Subject } from '../check.ts'
import { expects, find } from '../judges.ts'
import { signBase } from '../sign-request.ts'

/** A signature that no key of the login makes. Its length is right. */
const WRONG = resigned((bytes) => bytes.with(0, (bytes[0] ?? 0) ^ 1))

const refuses = (expected: string, isRight: (answer: Answer) => boolean): Judge => {
  return (answer, sent) => {
    return isReport(answer)
      ? find(false, 'a refusal', answer)
      : expects(expected, isRight)(answer, sent)
  }
}

const keepsSecrets: Judge = ({ body }, { gateway: { secret }, request }) => {
  const right = signBase(request.baseString, secret)
  const secrets = [right, ...(secret.method === 'HMAC-SHA1' ? [secret.controlKey] : [])]
  const texts = secrets.flatMap((each) => [each, encodeURIComponent(each)])
  const isShown = texts.some((each) => body.includes(each))
  const expected = 'neither of them'
  return { isRight: !isShown, expected, got: isShown ? 'one of them' : expected }
}

const revealsNoLogin: Judge = async (wrong, { gateway }) => {
  if (explains(wrong)) return { skip: 'this environment explains its refusals, as a sandbox may' }
  const { answer: unknown } = await gateway.ask(UNKNOWN_LOGIN)
  const report = [wrong, unknown].find(isReport)
  if (report) return find(false, 'two refusals', report)
  const [expected, got] = [withoutIds(wrong), withoutIds(unknown)]
  return { isRight: expected === got, expected: shown(expected), got: shown(got) }
}

const showsBaseString: Judge = (answer, { request }) => {
  if (!explains(answer)) return { skip: 'needs an environment that explains its refusals' }
  // A gateway may mask digits.
  const lines = answer.body.toString().split('\n').map(withoutDigits)
  const isShown = lines.includes(withoutDigits(request.baseString))
  return find(isShown, 'the base string as one of the lines', answer)
}

// biome-ignore format: a check is a line of the table
const ROWS: readonly CheckRow[] = [
  ['refusal-text', 'must', 'says that the caller is not authorised', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses(`a body that begins "${REFUSAL_PREFIX}"`, isRefusal)],
  ['refusal-status', 'should', 'answers an unauthorised caller with status 200', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses('status 200', ({ status }) => status === 200)],
  ['refusal-media-type', 'must', 'answers an unauthorised caller with text/plain', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses(REFUSAL_MEDIA_TYPE, (answer) => mediaTypeOf(answer) === REFUSAL_MEDIA_TYPE)],
  ['refusal-no-file', 'must', 'sends no file to an unauthorised caller', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses('no header Content-Disposition', ({ headers }) => headers['content-disposition'] === undefined)],
  ['refusal-keeps-secrets', 'must', 'shows neither the key nor the right signature in a refusal', 'specification, Credentials', 'a request with a wrong signature', WRONG, keepsSecrets],
  ['refusal-reveals-no-login', 'should', 'answers an unknown login as it answers a wrong signature', 'specification, Errors', 'a request of a login that does not exist, and one with a wrong signature', WRONG, revealsNoLogin],
  ['refusal-explains', 'should', 'shows the base string that it built, if it explains refusals', 'docs/protocol.md, Where the specification is silent', 'a request with a wrong signature', WRONG, showsBaseString],
]

/** How a gateway refuses a caller. */
export const REFUSALS: Subject = { name: 'The refusal', checks: checksOf(ROWS, keepsSecrets) }

function explains({ body }: Answer): boolean {
  return body.includes('oauth_consumer_key%3D')
}

/** The text of a refusal without ids, which differ. */
function withoutIds({ status, body }: Answer): string {
  return `${status} ${body.toString().replaceAll(/[\da-f-]{8,}/gi, '…')}`.trim()
}

function withoutDigits(text: string): string {
  return text.replaceAll(/[\d*]/g, '0')
}
