import { PROBLEM_MEDIA_TYPE, REFUSAL_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import {
  expects,
  find,
  isRefusal,
  isReport,
  type Judge,
  mediaTypeOf,
  type Subject,
} from '../check.ts'
import type { Answer } from '../exchange.ts'
import { resigned, signBase } from '../sign-request.ts'

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
  return isShown ? { expected: 'neither of them', got: 'one of them' } : undefined
}

/** Judges that a gateway found a fault in the request of an accepted caller. */
const findsFault = expects('status 400 to 499, and no report', (answer) => {
  return answer.status >= 400 && answer.status < 500 && !isRefusal(answer)
})

/** The specification does not show the answer to a faulty body, so no check of such an answer is a must. */
// biome-ignore format: a check is a line of the table
export const REQUESTS: readonly Subject[] = [
  { name: 'The refusal', judge: keepsSecrets, checks: [
    ['refusal-text', 'must', 'says that the caller is not authorised', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses(`a body that begins "${REFUSAL_PREFIX}"`, isRefusal)],
    ['refusal-status', 'should', 'answers an unauthorised caller with status 200', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses('status 200', ({ status }) => status === 200)],
    ['refusal-media-type', 'must', 'answers an unauthorised caller with text/plain', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses(REFUSAL_MEDIA_TYPE, (answer) => mediaTypeOf(answer) === REFUSAL_MEDIA_TYPE)],
    ['refusal-no-file', 'must', 'sends no file to an unauthorised caller', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses('no header Content-Disposition', ({ headers }) => headers['content-disposition'] === undefined)],
    ['refusal-keeps-secrets', 'must', 'shows neither the key nor the right signature in a refusal', 'specification, Credentials', 'a request with a wrong signature', WRONG, keepsSecrets],
  ] },
  { name: 'Report requests', judge: findsFault, checks: [
    ['refuse-broken-json', 'should', 'refuses a body that is not JSON', 'specification, Report request', 'the body {', { body: '{' }],
    ['refuse-array', 'should', 'refuses an array as the body', 'specification, Report request', 'the body []', { body: '[]' }],
    ['refuse-empty-body', 'should', 'refuses an empty body', 'specification, Report request', 'no body', { body: '' }],
    ['refuse-other-encoding', 'should', 'refuses JSON that is not in UTF-8', 'specification, Report request', 'the byte FF in a name', { body: Buffer.from('{"reportIdentifier":"\xff"}', 'latin1') }],
    ['refuse-other-content-type', 'should', 'refuses a body that is not application/json', 'specification, Custom report', 'Content-Type: text/csv', { contentType: 'text/csv' }],
    ['refuse-get', 'must', 'sends no report for a GET', 'specification, Custom report', 'a signed GET', { method: 'GET', body: '' }, expects('no report', (answer) => !isReport(answer))],
    ['problem-details', 'should', 'describes faults as problem details', 'RFC 9457, 3', 'reportIdentifier: 7', { members: { reportIdentifier: 7 } }, expects(PROBLEM_MEDIA_TYPE, (answer) => mediaTypeOf(answer) === PROBLEM_MEDIA_TYPE)],
  ] },
]
