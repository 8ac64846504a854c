import { isRefusal } from '../answer.ts'
import { asForm, unsorted } from '../changes.ts'
import { type CheckRow, checksOf, type Subject } from '../check.ts'
import { expects, refusesCaller } from '../judges.ts'

/** No form has an amount, so no gateway can carry it out. */
const FORM = 'client_orderid=conformance&order_desc=Coffee'

/** Judges that the signature of a form was accepted. The form itself is faulty. */
const acceptsSignature = expects(
  'an answer about the fields of the form, and no refusal',
  (answer) => !isRefusal(answer) && answer.status !== 401 && answer.status !== 403,
)

// biome-ignore format: a check is a line of the table
const ACCEPTED: readonly CheckRow[] = [
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
const REFUSED: readonly CheckRow[] = [
  ['form-unsigned', 'must', 'refuses a form whose fields are not signed', 'specification, Signature generation, step 1', 'a form with the signature of no fields', { form: FORM, signed: { form: [] } }],
  ['form-changed-field', 'must', 'refuses a field that was changed after signing', 'specification, Signature generation, step 1', 'another value than the signed one', { form: FORM, sentBody: (body) => body.replace('Coffee', 'Tea') }],
  ['form-added-field', 'must', 'refuses a field that was added after signing', 'specification, Signature generation, step 1', 'a field that is not signed', { form: FORM, sentBody: (body) => `${body}&purpose=x` }],
  ['form-removed-field', 'must', 'refuses a form without a field that is signed', 'specification, Signature generation, step 1', 'a form without a signed field', { form: FORM, sentBody: (body) => body.replace(/&.*/, '') }],
  ['form-added-duplicate', 'must', 'refuses a second field of the same name and value', 'RFC 5849, 3.4.1.3.2', 'a signed field twice', { form: FORM, sentBody: (body) => `${body}&order_desc=Coffee` }],
  ['form-unsorted', 'must', 'refuses unsorted fields', 'specification, Signature generation, step 3', 'the signature of the fields in reverse order', { form: FORM, signed: { parameters: unsorted } }],
  ['form-no-header', 'must', 'refuses the parameters of the signature in the form alone', 'specification, Authentication', 'a valid signature in the form, and no Authorization header', { form: FORM, write: () => undefined, sentBody: (body, pairs) => `${body}&${asForm(pairs)}` }],
]

// The specification shows no answer to a form that fails.
// biome-ignore format: a check is a line of the table
const ANSWERS: readonly CheckRow[] = [
  ['form-refusal', 'should', 'says that the caller is not authorised', 'specification, Errors', 'a form with the signature of no fields', { form: FORM, signed: { form: [] } }, expects('a body that begins "You are not authorised"', isRefusal)],
  ['form-json', 'should', 'answers in JSON', 'specification, Other paths', 'a form without an amount', { form: FORM }, expects('a body of JSON', ({ body }) => isJson(body))],
  ['form-fault', 'should', 'refuses a form without an amount', 'docs/sandbox.md, Fields', 'a form without an amount', { form: FORM }, expects('status 400 to 499', ({ status }) => status >= 400 && status < 500)],
]

/** How a gateway verifies the forms of payment operations. */
export const OPERATION_FORMS: Subject = {
  name: 'Form operations',
  checks: [
    ...checksOf(ACCEPTED, acceptsSignature),
    ...checksOf([...REFUSED, ...ANSWERS], refusesCaller),
  ],
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString())
    return true
  } catch {
    return false
  }
}
