import { createSecretKey, randomBytes } from 'node:crypto'
import { OPERATIONS } from '@counterfoil/protocol'
import { expect, test } from 'vitest'
import { reduceForm } from './cards.ts'

const KEY = createSecretKey(randomBytes(32))
const VALUES = {
  client_orderid: 'order-1',
  amount: '10.42',
  credit_card_number: '4111111111111111',
  cvv2: '739',
  'destination-card-no': '5555555555554444',
}

const reduce = (change: object = {}, endpointId = '1') => {
  const values = new Map<string, string>(Object.entries({ ...VALUES, ...change }))
  return reduceForm(OPERATIONS.transfer, endpointId, values)
}

test('keeps six and four digits of a card number, and nothing of a verification value', () => {
  const { texts, cards } = reduce()
  expect([...texts]).toEqual([
    ['client_orderid', 'order-1'],
    ['amount', '10.42'],
  ])
  expect([...cards]).toEqual([
    ['credit_card_number', { bin: '411111', last4: '1111' }],
    ['destination-card-no', { bin: '555555', last4: '4444' }],
  ])
})

test('hashes the same form alike, in any order and with any verification value', () => {
  const hash = reduce().hash(KEY)
  expect(hash).toMatch(/^[\da-f]{64}$/)
  const reversed = new Map(Object.entries(VALUES).toReversed())
  expect(reduceForm(OPERATIONS.transfer, '1', reversed).hash(KEY)).toBe(hash)
  expect(reduce({ cvv2: '111' }).hash(KEY)).toBe(hash)
})

test('hashes another form, endpoint, operation or key differently', () => {
  const others = [
    reduce({ amount: '10.420' }),
    reduce({ credit_card_number: '4111110000001111' }),
    reduce({ credit_card_number: '5555555555554444', 'destination-card-no': '4111111111111111' }),
    reduce({}, '11'),
    reduce({ order_desc: '' }),
    reduceForm(OPERATIONS.payout, '1', new Map(Object.entries(VALUES))),
  ]
  const hashes = [reduce(), ...others].map((form) => form.hash(KEY))
  hashes.push(reduce().hash(createSecretKey(randomBytes(32))))
  expect(new Set(hashes).size).toBe(hashes.length)
})
