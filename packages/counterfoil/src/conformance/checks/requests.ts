import { PROBLEM_MEDIA_TYPE, REFUSAL_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import {
  type Check,
  expects,
  find,
  isRefusal,
  isReport,
  type Judge,
  mediaTypeOf,
  parseJson,
  refusesCaller,
  shown,
  type Subject,
} from '../check.ts'
import type { Answer } from '../exchange.ts'
import { asForm, resigned, signBase, UNKNOWN_LOGIN, unsorted } from '../sign-request.ts'

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

const revealsNoLogin: Judge = async (wrong, { gateway }) => {
  if (explains(wrong)) return { skip: 'this environment explains its refusals, as a sandbox may' }
  const { answer: unknown } = await gateway.ask(UNKNOWN_LOGIN)
  const report = [wrong, unknown].find(isReport)
  if (report) return find(false, 'two refusals', report)
  const [expected, got] = [withoutIds(wrong), withoutIds(unknown)]
  return expected === got ? undefined : { expected: shown(expected), got: shown(got) }
}

// biome-ignore format: a check is a line of the table
const REFUSALS: readonly Check[] = [
  ['refusal-text', 'must', 'says that the caller is not authorised', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses(`a body that begins "${REFUSAL_PREFIX}"`, isRefusal)],
  ['refusal-status', 'should', 'answers an unauthorised caller with status 200', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses('status 200', ({ status }) => status === 200)],
  ['refusal-media-type', 'must', 'answers an unauthorised caller with text/plain', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses(REFUSAL_MEDIA_TYPE, (answer) => mediaTypeOf(answer) === REFUSAL_MEDIA_TYPE)],
  ['refusal-no-file', 'must', 'sends no file to an unauthorised caller', 'specification, Errors', 'a request with a wrong signature', WRONG, refuses('no header Content-Disposition', ({ headers }) => headers['content-disposition'] === undefined)],
  ['refusal-keeps-secrets', 'must', 'shows neither the key nor the right signature in a refusal', 'specification, Credentials', 'a request with a wrong signature', WRONG, keepsSecrets],
  ['refusal-reveals-no-login', 'should', 'answers an unknown login as it answers a wrong signature', 'specification, Errors', 'a request of a login that does not exist, and one with a wrong signature', WRONG, revealsNoLogin],
]

/** Judges that a gateway found a fault in the request of an accepted caller. */
const findsFault = expects('status 400 to 499, and no report', (answer) => {
  return answer.status >= 400 && answer.status < 500 && !isRefusal(answer)
})

// biome-ignore format: a check is a line of the table
const FAULTS: readonly Check[] = [
  ['refuse-broken-json', 'should', 'refuses a body that is not JSON', 'specification, Report request', 'the body {', { body: '{' }],
  ['refuse-array', 'should', 'refuses an array as the body', 'specification, Report request', 'the body []', { body: '[]' }],
  ['refuse-empty-body', 'should', 'refuses an empty body', 'specification, Report request', 'no body', { body: '' }],
  ['refuse-other-encoding', 'should', 'refuses JSON that is not in UTF-8', 'specification, Report request', 'the byte FF in a name', { body: Buffer.from('{"reportIdentifier":"\xff"}', 'latin1') }],
  ['refuse-other-content-type', 'should', 'refuses a body that is not application/json', 'specification, Custom report', 'Content-Type: text/csv', { contentType: 'text/csv' }],
  ['refuse-get', 'must', 'sends no report for a GET', 'specification, Custom report', 'a signed GET', { method: 'GET', body: '' }, expects('no report', (answer) => !isReport(answer))],
  ['problem-details', 'should', 'describes faults as problem details', 'RFC 9457, 3', 'reportIdentifier: 7', { members: { reportIdentifier: 7 } }, expects(PROBLEM_MEDIA_TYPE, (answer) => mediaTypeOf(answer) === PROBLEM_MEDIA_TYPE)],
]

/** No form has an amount, so no gateway can carry it out. */
const FORM = 'client_orderid=conformance&order_desc=Coffee'

/** Leaves the fields of a form out of the signed parameters. */
const withoutFields = (all: string): string => {
  return all
    .split('&')
    .filter((each) => each.startsWith('oauth_'))
    .join('&')
}

/** Judges that the signature of a form was accepted. The form itself is faulty. */
const acceptsSignature = expects(
  'an answer about the fields of the form, and no refusal',
  (answer) => !isRefusal(answer) && answer.status !== 401 && answer.status !== 403,
)

// biome-ignore format: a check is a line of the table
const ACCEPTED_FORMS: readonly Check[] = [
  ['form-signed', 'must', 'accepts a form whose fields are signed', 'specification, Signature generation', 'a form with signed fields', { form: FORM }],
  ['form-order', 'must', 'sorts the fields of a form by their encoded names', 'specification, Signature generation, step 3', 'destination-card-no and destination_card_recurring_payment_id, the wrong way round', { form: 'destination_card_recurring_payment_id=1&destination-card-no=2&a=3' }],
  ['form-reserved', 'must', 'encodes reserved characters in a form, and no others', 'specification, Signature generation, step 2', "a field with %!'()*+,/:;=?@[]~", { form: 'order_desc=%25%21%27%28%29%2A%2B%2C%2F%3A%3B%3D%3F%40%5B%5D~-._' }],
  ['form-space', 'must', 'reads + and %20 of a form as a space', 'RFC 5849, 3.4.1.3.1', 'a field with + and %20', { form: 'order_desc=a+b%20c' }],
  ['form-unicode', 'must', 'reads a form as UTF-8', 'RFC 5849, 3.6', 'a field with letters outside ASCII', { form: 'order_desc=%C3%A9%E2%82%AC%F0%9F%98%80' }],
  ['form-repeated-name', 'must', 'signs each of several fields of one name', 'RFC 5849, 3.4.1.3.2', 'the field x twice', { form: 'x=b&x=a' }],
  ['form-empty-value', 'must', 'signs a field without a value', 'RFC 5849, 3.4.1.3.1', 'an empty field', { form: 'client_orderid=conformance&order_desc=' }],
  ['form-charset', 'must', 'accepts a form with a charset in its Content-Type', 'RFC 5849, 3.4.1.3.1', 'application/x-www-form-urlencoded; charset=UTF-8', { form: FORM, contentType: 'application/x-www-form-urlencoded; charset=UTF-8' }],
  ['form-repeats-oauth', 'must', 'accepts the parameters of the header as fields too', 'specification, Authorization header (form-encoded requests)', 'the oauth parameters in the header and in the form', { form: FORM, sentBody: (body, pairs) => `${body}&${asForm(pairs)}` }],
]

// biome-ignore format: a check is a line of the table
const REFUSED_FORMS: readonly Check[] = [
  ['form-unsigned', 'must', 'refuses a form whose fields are not signed', 'specification, Signature generation, step 1', 'a form with the signature of no fields', { form: FORM, parameters: withoutFields }],
  ['form-changed-field', 'must', 'refuses a field that was changed after signing', 'specification, Signature generation, step 1', 'another value than the signed one', { form: FORM, sentBody: (body) => body.replace('Coffee', 'Tea') }],
  ['form-added-field', 'must', 'refuses a field that was added after signing', 'specification, Signature generation, step 1', 'a field that is not signed', { form: FORM, sentBody: (body) => `${body}&purpose=x` }],
  ['form-removed-field', 'must', 'refuses a form without a field that is signed', 'specification, Signature generation, step 1', 'a form without a signed field', { form: FORM, sentBody: (body) => body.replace(/&.*/, '') }],
  ['form-added-duplicate', 'must', 'refuses a second field of the same name and value', 'RFC 5849, 3.4.1.3.2', 'a signed field twice', { form: FORM, sentBody: (body) => `${body}&order_desc=Coffee` }],
  ['form-unsorted', 'must', 'refuses unsorted fields', 'specification, Signature generation, step 3', 'the signature of the fields in reverse order', { form: FORM, parameters: unsorted }],
  ['form-no-header', 'must', 'refuses the parameters of the signature in the form alone', 'specification, Authentication', 'a valid signature in the form, and no Authorization header', { form: FORM, write: () => undefined, sentBody: (body, pairs) => `${body}&${asForm(pairs)}` }],
]

// The specification shows no answer to a form that fails.
// biome-ignore format: a check is a line of the table
const ANSWERS: readonly Check[] = [
  ['form-refusal', 'should', 'says that the caller is not authorised', 'specification, Errors', 'a form with the signature of no fields', { form: FORM, parameters: withoutFields }, expects('a body that begins "You are not authorised"', isRefusal)],
  ['form-json', 'should', 'answers in JSON', 'specification, Other paths', 'a form without an amount', { form: FORM }, expects('a body of JSON', ({ body }) => parseJson(body) !== undefined)],
]

/**
 * How a gateway refuses a caller, reads the body of a request, and verifies the forms of payment operations. The
 * specification does not show the answer to a fault: no check of such an answer is a must.
 */
export const REQUESTS: readonly Subject[] = [
  { name: 'The refusal', checks: REFUSALS, judge: keepsSecrets },
  { name: 'Report requests', checks: FAULTS, judge: findsFault },
  { name: 'Accepted forms', checks: ACCEPTED_FORMS, judge: acceptsSignature },
  { name: 'Refused forms', checks: [...REFUSED_FORMS, ...ANSWERS], judge: refusesCaller },
]

function explains({ body }: Answer): boolean {
  return body.includes('oauth_consumer_key%3D')
}

/** The text of a refusal without ids, which differ. */
function withoutIds({ status, body }: Answer): string {
  return `${status} ${body.toString().replaceAll(/[\da-f-]{8,}/gi, '…')}`.trim()
}
