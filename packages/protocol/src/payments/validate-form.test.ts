import { describe, expect, test } from 'vitest'
import { EXAMPLE_CARDS, passesLuhn } from './card-numbers.ts'
import {
  type Field,
  type FieldKind,
  type Operation,
  type OperationName,
  spellingsOf,
} from './operation.ts'
import { OPERATIONS } from './operations.ts'
import { CARD, EXPIRY, type Form, MONEY, VALID_FORMS } from './valid-forms.cases.ts'
import { type OperationFault, validateForm } from './validate-form.ts'

/** Creates a value of an exact length that is valid in every other way, if such a value exists. */
const OF_LENGTH: Readonly<Record<FieldKind, (length: number) => string>> = {
  text: (length) => '\u{1F9FE}'.repeat(length),
  phone: (length) => '\u{1F9FE}'.repeat(length),
  identifier: (length) => '\u{1F9FE}'.repeat(length),
  digits: (length) => '7'.repeat(length),
  'card-id': (length) => '0'.repeat(length),
  card: (length) => {
    const known = ['501800000009', CARD, '6304000000000000000']
    return known.find((card) => card.length === length) ?? '4'.repeat(length)
  },
  cvv: (length) => '0'.repeat(length),
  amount: (length) => (length < 4 ? '5'.repeat(length) : `${'9'.repeat(length - 3)}.99`),
  currency: (length) => 'EURO'.slice(0, length),
  month: (length) => '01'.padStart(length, '0').slice(-length),
  year: (length) => '20319'.slice(0, length),
  birthday: (length) => '053119901'.slice(0, length),
  boolean: (length) => (length === 5 ? 'false' : 'trueness'.slice(0, length)),
  country: (length) => 'LVA'.slice(0, length),
  email: (length) => (length < 3 ? '@'.repeat(length) : `${'a'.repeat(length - 2)}@b`),
  ip: (length) => {
    const known = ['::1:12', '1.1.1.1', '0000:0000:0000:0000:0000:ffff:255.255.255.255']
    return known.find((address) => address.length === length) ?? '0'.repeat(length)
  },
  url: (length) => 'http://'.padEnd(length, 'a'),
}

const FIELDS = Object.values(OPERATIONS).flatMap((operation) => {
  return operation.fields.map((field) => ({
    operation,
    field,
    label: `${operation.name}: ${field.name}`,
    form: VALID_FORMS[operation.name].find((form) => field.name in form) ?? {},
  }))
})

function faultsOf(operation: Operation, pairs: Iterable<readonly [string, string]>) {
  const result = validateForm(operation, [...pairs])
  return 'faults' in result ? result.faults : []
}

function without(form: Form, name: string): [string, string][] {
  return Object.entries(form).filter(([other]) => other !== name)
}

function having(form: Form, name: string, value: string): [string, string][] {
  return [...without(form, name), [name, value]]
}

test.each(Object.entries(VALID_FORMS))('%s accepts valid forms', (name, forms) => {
  const operation = OPERATIONS[name as OperationName]
  for (const form of forms) {
    expect(validateForm(operation, Object.entries(form))).toEqual({
      values: new Map(Object.entries(form)),
    })
  }
})

describe.each(FIELDS)('$label', ({ operation, field, form }) => {
  const { name, kind, lengthMin = 1, lengthMax } = field
  const ofLength = (length: number) => having(form, name, OF_LENGTH[kind](length))
  const faultsOfField = (pairs: readonly [string, string][]): readonly OperationFault[] => {
    return faultsOf(operation, pairs).filter((fault) => fault.field === name)
  }

  test.each([lengthMin, lengthMax])('accepts %i characters', (length) => {
    expect(Array.from(OF_LENGTH[kind](length)).length).toBe(length)
    expect(form).toHaveProperty([name])
    expect(faultsOfField(ofLength(length))).toEqual([])
  })

  test.runIf(lengthMin > 1)('refuses one character less', () => {
    expect(faultsOfField(ofLength(lengthMin - 1))).toMatchObject([{ error: 'field-length' }])
  })

  test('refuses one character more', () => {
    expect(faultsOfField(ofLength(lengthMax + 1))).toEqual([
      { error: 'field-length', field: name, expected: expect.stringContaining(String(lengthMax)) },
    ])
  })

  test('counts as absent if it is empty', () => {
    const absent = validateForm(operation, without(form, name))
    for (const spelling of spellingsOf(field)) {
      expect(validateForm(operation, [...without(form, name), [spelling, '']])).toEqual(absent)
    }
    const present = validateForm(operation, Object.entries(form))
    expect(validateForm(operation, [[name, ''], ...Object.entries(form)])).toEqual(present)
  })

  test('refuses it twice, with the same value or another', () => {
    for (const value of [form[name] ?? '', 'another']) {
      expect(faultsOfField([...Object.entries(form), [name, value]])).toMatchObject([
        { error: 'repeated-field' },
      ])
    }
  })

  test('refuses a form without it only if it is required', () => {
    const faults = faultsOf(operation, without(form, name))
    expect(faults.map(({ error, field: at }) => [error, at])).toEqual(
      faultsWithout(operation, field),
    )
  })
})

const SPELLED = FIELDS.flatMap(({ field, ...rest }) => {
  return spellingsOf(field)
    .slice(1)
    .map((other) => ({ ...rest, name: field.name, other }))
})

test.each(SPELLED)('$label: accepts the spelling $other, but not both', (spelled) => {
  const { operation, form, name, other } = spelled
  const again = [other, form[name] ?? ''] as const
  expect(validateForm(operation, [...without(form, name), again])).toEqual({
    values: new Map(Object.entries(form)),
  })
  expect(faultsOf(operation, [...Object.entries(form), again])).toEqual([
    {
      error: 'repeated-field',
      field: other,
      expected: `expected either ${name} or ${other}: they are one field`,
    },
  ])
})

/** Returns the faults of a valid form without one of its fields. */
function faultsWithout({ choices }: Operation, { name, required }: Field): unknown[] {
  if (required) return [['missing-field', name]]
  return choices.flatMap((choice) => {
    return choice.alternatives.flatMap(({ field, requires = [] }) => {
      if (requires.includes(name)) return [['missing-field', name]]
      if (field !== name) return []
      if (choice.required) return [['missing-field', '']]
      return requires.map((stray) => ['conflicting-fields', stray])
    })
  })
}

const CARD_SOURCE = { credit_card_number: CARD, cvv2: '123', card_printed_name: 'A', ...EXPIRY }
const STORED_SOURCE = { card_recurring_payment_id: '1' }
const DESTINATION = { 'destination-card-no': CARD }
const ACCOUNT = { account_number: '1', bank_name: 'B' }

test.each<[string, OperationName, Form, readonly string[]]>([
  [
    'a card and a stored card as source',
    'transfer',
    { ...CARD_SOURCE, ...STORED_SOURCE, ...DESTINATION },
    ['credit_card_number', 'card_recurring_payment_id'],
  ],
  [
    'both destinations in another spelling',
    'transfer',
    { ...STORED_SOURCE, destination_card_no: CARD, 'destination-card-recurring-payment-id': '1' },
    ['destination_card_no', 'destination-card-recurring-payment-id'],
  ],
  [
    'a verification value with the deposit',
    'transfer',
    { deposit2card: 'true', cvv2: '123', ...DESTINATION },
    ['cvv2'],
  ],
  [
    'an account and a card',
    'payout',
    { ...ACCOUNT, credit_card_number: CARD },
    ['account_number', 'credit_card_number'],
  ],
  ["a card's expiry with an account", 'payout', { ...EXPIRY, ...ACCOUNT }, ['expire_month']],
])('refuses %s', (_, name, form, fields) => {
  const faults = faultsOf(OPERATIONS[name], Object.entries({ ...MONEY, ...form }))
  expect(faults.map(({ error, field }) => [error, field])).toEqual(
    fields.map((field) => ['conflicting-fields', field]),
  )
})

test('finds several faults at once, in the order of the form and the fields', () => {
  const form = { colour: 'red', amount: 'much', credit_card_number: '4111111111111112' }
  const faults = faultsOf(OPERATIONS.payout, Object.entries(form))
  expect(faults.map(({ error, field }) => [error, field])).toEqual([
    ['unknown-field', 'colour'],
    ['missing-field', 'client_orderid'],
    ['field-value', 'amount'],
    ['missing-field', 'currency'],
    ['card-number', 'credit_card_number'],
  ])
})

test('refuses a form of more than 200 pairs with one fault', () => {
  const pairs = (count: number) => Array.from({ length: count }, () => ['a', ''] as const)
  expect(faultsOf(OPERATIONS.payout, pairs(200))).toHaveLength(200 + 4)
  expect(faultsOf(OPERATIONS.payout, pairs(201))).toEqual([
    { error: 'unreadable-form', field: '', expected: 'expected at most 200 fields' },
  ])
})

test.each([
  ['client_order_id', 'expected client_orderid or client-order-id'],
  ['clientOrderID', 'expected client_orderid or client-order-id'],
  ['destination-card_no', 'expected destination-card-no or destination_card_no'],
  ['card', 'expected fields of transfer only'],
])('suggests a field for the unknown name %s', (name, expected) => {
  const [fault] = faultsOf(OPERATIONS.transfer, [[name, 'x']])
  expect(fault).toEqual({ error: 'unknown-field', field: name, expected })
})

test('suggests true for a boolean field that is false', () => {
  const form = { ...MONEY, deposit2card: 'false', ...DESTINATION }
  expect(faultsOf(OPERATIONS.transfer, Object.entries(form))).toMatchObject([
    { error: 'missing-field', expected: expect.stringContaining('deposit2card=true') },
  ])
})

test('accepts a card as source with deposit2card=false', () => {
  const form = { ...VALID_FORMS.transfer[0], deposit2card: 'false' }
  expect(faultsOf(OPERATIONS.transfer, Object.entries(form))).toEqual([])
})

test('skips oauth_* parameters', () => {
  const form = VALID_FORMS.payout[1] ?? {}
  const oauth = { oauth_consumer_key: 'shop', oauth_nonce: '', oauth_token: 'x' }
  expect(validateForm(OPERATIONS.payout, Object.entries({ ...oauth, ...form }))).toEqual({
    values: new Map(Object.entries(form)),
  })
})

test.each([CARD, 'x'.repeat(65), `card${CARD}`, '{"amount":1}', ''])(
  'does not show the unknown name %s',
  (name) => {
    const [fault] = faultsOf(OPERATIONS.payout, [[name, '']])
    expect(fault).toEqual({
      error: 'unknown-field',
      field: '',
      expected: 'expected fields of payout only',
    })
  },
)

test.each(FIELDS)('never shows a value: $label', ({ operation, field, form }) => {
  const secret = 'never~shown'
  for (const value of [secret, secret.repeat(200)]) {
    const faults = faultsOf(operation, having(form, field.name, value))
    expect(JSON.stringify(faults)).not.toContain(secret)
  }
})

test('accepts the example cards, whose check digit is wrong', () => {
  for (const card of EXAMPLE_CARDS) {
    expect(passesLuhn(card)).toBe(false)
    const form = { ...MONEY, deposit2card: 'true', 'destination-card-no': card }
    expect(faultsOf(OPERATIONS.transfer, Object.entries(form))).toEqual([])
  }
})
