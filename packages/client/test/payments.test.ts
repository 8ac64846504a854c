import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { CounterfoilClient, CounterfoilError } from '../src/index.ts'
import {
  ACCEPTED,
  apiUrlOf,
  CONTROL_KEY,
  INVALID,
  LOGIN,
  PRIVATE_KEY,
  refuse,
  RSA_LOGIN,
  sendAnswer,
  startGateway,
} from './fixture-gateway.ts'

const UNEXPECTED = { code: 'unexpected-body' }

/** Text that a form must not damage. */
const HARD = 'a+b c%20&d=e~\'"() Оплата ค่าเช่า \u{1F4B8}'

const FIELDS = { 'client-order-id': '902B4FF5', amount: '10.42', currency: 'EUR', order_desc: HARD }

test('sends a signed form to the path of the operation and its endpoint', async () => {
  const gateway = await startGateway((response) => sendAnswer(response, 200, ACCEPTED))
  const apiUrl = apiUrlOf(gateway)
  const byControlKey = { apiUrl, login: LOGIN, controlKey: CONTROL_KEY }
  const byPrivateKey = { apiUrl: `${apiUrl}/`, login: RSA_LOGIN, privateKey: PRIVATE_KEY }
  for (const options of [byControlKey, byPrivateKey]) {
    const { payments } = new CounterfoilClient(options)
    expect(await payments.call('transfer-by-ref', '1144', FIELDS)).toEqual(ACCEPTED)
  }
  const sent = { path: '/gate/api/v4/transfer-by-ref/1144', form: Object.entries(FIELDS) }
  expect(gateway.received).toMatchObject([
    { login: LOGIN, ...sent },
    { login: RSA_LOGIN, ...sent },
  ])
})

test.each<[string, (response: ServerResponse) => void, object]>([
  [
    'what is not accepted',
    (response) => sendAnswer(response, 422, INVALID),
    {
      code: 'operation-refused',
      message: INVALID['error-message'],
      answer: INVALID,
      requestId: 'request-1',
    },
  ],
  [
    'what is not accepted, whatever its status',
    (response) => sendAnswer(response, 200, { ...INVALID, type: 'error' }),
    { code: 'operation-refused', answer: { type: 'error' } },
  ],
  [
    'a refusal',
    (response) =>
      void response.writeHead(403).end('You are not authorised to perform this request.'),
    { code: 'not-authorised', refusal: 'You are not authorised to perform this request.' },
  ],
  [
    'a refusal with status 200',
    (response) => refuse(response, 'nonce'),
    { code: 'not-authorised' },
  ],
  [
    'a gateway that is being stopped',
    (response) => {
      response.setHeader('Retry-After', '7')
      sendAnswer(response, 503, { ...INVALID, type: 'error' })
    },
    { code: 'busy', retryAfterSeconds: 7, message: INVALID['error-message'] },
  ],
  ['a busy gateway', (response) => void response.writeHead(503).end(), { code: 'busy' }],
  ['an accepting answer of another status', (r) => sendAnswer(r, 500, ACCEPTED), UNEXPECTED],
  [
    'an answer of an unknown type',
    (r) => sendAnswer(r, 200, { ...ACCEPTED, type: 'x' }),
    UNEXPECTED,
  ],
  [
    'JSON that is none',
    (r) => void r.setHeader('Content-Type', 'application/json').end('{'),
    UNEXPECTED,
  ],
  ['a redirect', (r) => void r.writeHead(302, { Location: '/' }).end(), UNEXPECTED],
  ['a cut connection', (r) => void r.destroy(), { code: 'network-error', nothingSent: false }],
])('throws for %s', async (_, handle, expected) => {
  const gateway = await startGateway(handle)
  const options = { apiUrl: apiUrlOf(gateway), login: LOGIN, controlKey: CONTROL_KEY }
  const { payments } = new CounterfoilClient(options)
  const call = payments.call('transfer-by-ref', '1144', FIELDS)
  const error: unknown = await call.catch((thrown: unknown) => thrown)
  expect(error instanceof CounterfoilError).toBe(true)
  expect(error).toMatchObject(expected)
})

test('says that nothing was sent if the connection failed', { tags: ['long'] }, async () => {
  const gateway = await startGateway((response) => sendAnswer(response, 200, ACCEPTED))
  await gateway.close()
  const options = { apiUrl: apiUrlOf(gateway), login: LOGIN, controlKey: CONTROL_KEY }
  const expected = { code: 'network-error', nothingSent: true }
  const { payments } = new CounterfoilClient(options)
  await expect(payments.call('transfer-by-ref', '1144', FIELDS)).rejects.toMatchObject(expected)
})

test('accepts no plain HTTP to another machine, and names the setting', () => {
  const options = { apiUrl: 'http://gateway.example/', login: LOGIN, controlKey: CONTROL_KEY }
  expect(() => new CounterfoilClient(options)).toThrow(/^apiUrl: expected https:/)
})
