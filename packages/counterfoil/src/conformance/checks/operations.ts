import { isRefusal } from '../answer.ts'
import type { Check, Finding, Judge, Level, Subject } from '../check.ts'
import { check, type CheckTexts, find, refusesCaller } from '../make-checks.ts'
import type { Change } from '../sign-request.ts'

const SIGNATURE = 'specification, Signature generation'
const FORMS = 'specification, Authorization header (form-encoded requests)'
/** No form has an amount, so no gateway can carry it out. */
const FORM = 'client_orderid=conformance&order_desc=Coffee'

/** Judges that the signature of a form was accepted. The form itself is faulty. */
const acceptsSignature: Judge = (answer) => {
  const isAccepted = !isRefusal(answer) && answer.status !== 401 && answer.status !== 403
  return find(isAccepted, 'an answer about the fields of the form, and no refusal', answer)
}

const NEEDS_OPERATIONS = 'needs a gateway with payment operations (--api-url)'

type Row = readonly [
  id: string,
  title: string,
  clause: string,
  sent: string,
  form: string,
  change?: Change,
]

const ACCEPTED: readonly Row[] = [
  [
    'form-signed',
    'accepts a form whose fields are signed',
    SIGNATURE,
    'a form with signed fields',
    FORM,
  ],
  [
    'form-order',
    'sorts the fields of a form by their encoded names',
    `${SIGNATURE}, step 3`,
    'destination-card-no and destination_card_recurring_payment_id, the wrong way round',
    'destination_card_recurring_payment_id=1&destination-card-no=2&a=3',
  ],
  [
    'form-reserved',
    'encodes reserved characters in a form, and no others',
    `${SIGNATURE}, step 2`,
    "a field with %!'()*+,/:;=?@[]~",
    'order_desc=%25%21%27%28%29%2A%2B%2C%2F%3A%3B%3D%3F%40%5B%5D~-._',
  ],
  [
    'form-space',
    'reads + and %20 of a form as a space',
    'RFC 5849, 3.4.1.3.1',
    'a field with + and %20',
    'order_desc=a+b%20c',
  ],
  [
    'form-unicode',
    'reads a form as UTF-8',
    'RFC 5849, 3.6',
    'a field with letters outside ASCII',
    'order_desc=%C3%A9%E2%82%AC%F0%9F%98%80',
  ],
  [
    'form-repeated-name',
    'signs each of several fields of one name',
    'RFC 5849, 3.4.1.3.2',
    'the field x twice',
    'x=b&x=a',
  ],
  [
    'form-empty-value',
    'signs a field without a value',
    'RFC 5849, 3.4.1.3.1',
    'an empty field',
    'client_orderid=conformance&order_desc=',
  ],
  [
    'form-charset',
    'accepts a form with a charset in its Content-Type',
    'RFC 5849, 3.4.1.3.1',
    'application/x-www-form-urlencoded; charset=UTF-8',
    FORM,
    { contentType: 'application/x-www-form-urlencoded; charset=UTF-8' },
  ],
  [
    'form-repeats-oauth',
    'accepts the parameters of the header as fields too',
    FORMS,
    'the oauth parameters in the header and in the form',
    FORM,
    {
      sentBody: (body, pairs) =>
        [body, ...pairs.map(([name, value]) => `${name}=${value}`)].join('&'),
    },
  ],
]

const REFUSED: readonly Row[] = [
  [
    'form-unsigned',
    'refuses a form whose fields are not signed',
    `${SIGNATURE}, step 1`,
    'a form with the signature of no fields',
    FORM,
    { signed: { form: [] } },
  ],
  [
    'form-changed-field',
    'refuses a field that was changed after signing',
    `${SIGNATURE}, step 1`,
    'another value than the signed one',
    FORM,
    { sentBody: (body) => body.replace('Coffee', 'Tea') },
  ],
  [
    'form-added-field',
    'refuses a field that was added after signing',
    `${SIGNATURE}, step 1`,
    'a field that is not signed',
    FORM,
    { sentBody: (body) => `${body}&purpose=x` },
  ],
  [
    'form-removed-field',
    'refuses a form without a field that is signed',
    `${SIGNATURE}, step 1`,
    'a form without a signed field',
    FORM,
    { sentBody: (body) => body.replace(/&.*/, '') },
  ],
  [
    'form-added-duplicate',
    'refuses a second field of the same name and value',
    'RFC 5849, 3.4.1.3.2',
    'a signed field twice',
    FORM,
    { sentBody: (body) => `${body}&order_desc=Coffee` },
  ],
  [
    'form-unsorted',
    'refuses unsorted fields',
    `${SIGNATURE}, step 3`,
    'the signature of the fields in reverse order',
    FORM,
    { signed: { parameters: (text) => text.split('&').toReversed().join('&') } },
  ],
  [
    'form-no-header',
    'refuses the parameters of the signature in the form alone',
    'specification, Authentication',
    'a valid signature in the form, and no Authorization header',
    FORM,
    {
      write: () => undefined,
      sentBody: (body, pairs) =>
        [body, ...pairs.map(([name, value]) => `${name}=${value}`)].join('&'),
    },
  ],
]

/** The specification shows no answer to a form that fails. */
const ANSWERS: readonly (readonly [Row, Judge])[] = [
  [
    [
      'form-refusal',
      'says that the caller is not authorised',
      'specification, Errors',
      'a form with the signature of no fields',
      FORM,
      { signed: { form: [] } },
    ],
    (answer) => find(isRefusal(answer), 'a body that begins "You are not authorised"', answer),
  ],
  [
    [
      'form-json',
      'answers in JSON',
      'specification, Other paths',
      'a form without an amount',
      FORM,
    ],
    (answer) => find(isJson(answer.body), 'a body of JSON', answer),
  ],
  [
    [
      'form-fault',
      'refuses a form without an amount',
      'docs/sandbox.md, Fields',
      'a form without an amount',
      FORM,
    ],
    (answer) => find(answer.status >= 400 && answer.status < 500, 'status 400 to 499', answer),
  ],
]

/** How a gateway verifies the forms of payment operations. */
export const OPERATION_FORMS: Subject = {
  name: 'Form operations',
  checks: [
    ...ACCEPTED.map((row) => ofForm(row, acceptsSignature)),
    ...REFUSED.map((row) => ofForm(row, refusesCaller)),
    ...ANSWERS.map(([row, judge]) => ofForm(row, judge, 'should')),
  ],
}

function ofForm(row: Row, judge: Judge, level: Level = 'must'): Check {
  const [id, title, clause, sent, form, change] = row
  const texts: CheckTexts = { id, title, clause, level, sent }
  return check(texts, async (gateway): Promise<Finding> => {
    if (gateway.apiUrl === undefined) return { skip: NEEDS_OPERATIONS }
    return judge(await gateway.call(form, change))
  })
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString())
    return true
  } catch {
    return false
  }
}
