import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { OPERATIONS } from '@counterfoil/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createProgram } from '../src/command/create-program.ts'
import { callOperation, ReportError } from '../src/index.ts'
import {
  CONTROL_KEY,
  type FixtureGateway,
  LOGIN,
  PRIVATE_KEY,
  refuse,
  RSA_LOGIN,
  startGateway,
} from './fixture-gateway.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')
const CARD = '4111111111111111'
const CVV = '977'

const ACCEPTED = {
  type: 'async-response',
  'serial-number': 'serial-1',
  'client-order-id': '902B4FF5',
  'merchant-order-id': '902B4FF5',
  'transaction-id': '17',
}
const INVALID = {
  type: 'validation-error',
  'serial-number': 'serial-2',
  'error-code': '104',
  'error-message': 'A field is missing: amount: expected this field',
}
const UNEXPECTED = { code: 'unexpected-answer' }

/** What a form has to bring through unharmed. */
const HARD = 'a+b c%20&d=e~\'"() Оплата ค่าเช่า \u{1F4B8}'

const CALL = {
  operation: 'transfer-by-ref',
  endpointId: '1144',
  fields: { 'client-order-id': '902B4FF5', amount: '10.42', currency: 'EUR', order_desc: HARD },
} as const

const REF = 'transfer-by-ref --client-order-id 902B4FF5 --amount 10.42 --currency EUR'.split(' ')

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

function answer(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

function apiUrlOf({ endpoint }: FixtureGateway): string {
  return new URL('/gate', endpoint).href
}

/** Runs `counterfoil call` as the fixture's merchant, for endpoint 1144. */
async function call(
  gateway: FixtureGateway,
  [operation = '', ...options]: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const merchant = {
    COUNTERFOIL_API_URL: apiUrlOf(gateway),
    COUNTERFOIL_LOGIN: LOGIN,
    COUNTERFOIL_CONTROL_KEY: CONTROL_KEY,
  }
  const argv = [MAIN, 'call', operation, '--endpoint', '1144', ...options]
  const child = spawn(process.execPath, argv, { cwd: folder, env: { ...merchant, ...env } })
  const printed = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await once(child, 'close')) as [number | null]
  const [stdout, stderr] = await printed
  return { code, stdout, stderr }
}

test('sends a signed form to the path of the operation and its endpoint', async () => {
  const gateway = await startGateway((response) => answer(response, 200, ACCEPTED))
  const apiUrl = apiUrlOf(gateway)
  const byControlKey = { apiUrl, login: LOGIN, controlKey: CONTROL_KEY }
  const byPrivateKey = { apiUrl: `${apiUrl}/`, login: RSA_LOGIN, privateKey: PRIVATE_KEY }
  for (const options of [byControlKey, byPrivateKey]) {
    expect(await callOperation(CALL, options)).toEqual(ACCEPTED)
  }
  const sent = { path: '/gate/api/v4/transfer-by-ref/1144', form: Object.entries(CALL.fields) }
  expect(gateway.received).toMatchObject([
    { login: LOGIN, ...sent },
    { login: RSA_LOGIN, ...sent },
  ])
})

test.each<[string, (response: ServerResponse) => void, object]>([
  [
    'what is not accepted',
    (response) => answer(response, 422, INVALID),
    { code: 'problem', message: INVALID['error-message'], answer: INVALID, requestId: 'request-1' },
  ],
  [
    'what is not accepted, whatever its status',
    (response) => answer(response, 200, { ...INVALID, type: 'error' }),
    { code: 'problem', answer: { type: 'error' } },
  ],
  [
    'a refusal',
    (response) =>
      void response.writeHead(403).end('You are not authorised to perform this request.'),
    { code: 'refused', refusal: 'You are not authorised to perform this request.' },
  ],
  ['a refusal with status 200', (response) => refuse(response, 'nonce'), { code: 'refused' }],
  [
    'a gateway that is being stopped',
    (response) => {
      response.setHeader('Retry-After', '7')
      answer(response, 503, { ...INVALID, type: 'error' })
    },
    { code: 'busy', retryAfterSeconds: 7, answer: { type: 'error' } },
  ],
  ['a busy gateway', (response) => void response.writeHead(503).end(), { code: 'busy' }],
  ['an accepting answer of another status', (r) => answer(r, 500, ACCEPTED), UNEXPECTED],
  ['an answer of an unknown type', (r) => answer(r, 200, { ...ACCEPTED, type: 'x' }), UNEXPECTED],
  [
    'JSON that is none',
    (r) => void r.setHeader('Content-Type', 'application/json').end('{'),
    UNEXPECTED,
  ],
  ['a redirect', (r) => void r.writeHead(302, { Location: '/' }).end(), UNEXPECTED],
  ['a cut connection', (r) => void r.destroy(), { code: 'connection' }],
])('throws for %s', async (_, handle, expected) => {
  const gateway = await startGateway(handle)
  const options = { apiUrl: apiUrlOf(gateway), login: LOGIN, controlKey: CONTROL_KEY }
  const error: unknown = await callOperation(CALL, options).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ReportError)
  expect(error).toMatchObject(expected)
})

test('sends nothing over plain HTTP to another machine, and names the setting', async () => {
  const options = { apiUrl: 'http://gateway.example/', login: LOGIN, controlKey: CONTROL_KEY }
  await expect(callOperation(CALL, options)).rejects.toMatchObject({
    code: 'settings',
    message: expect.stringMatching(/^apiUrl: expected https:/),
  })
})

test('the command sends what its options, files and variables say, and prints the answer', async () => {
  const gateway = await startGateway((response) => answer(response, 200, ACCEPTED))
  await writeFile(join(folder, 'card.txt'), `${CARD}\n`)
  const transfer = [
    ...'transfer --client-order-id 902B4FF5 --amount 10.42 --currency EUR --order-desc'.split(' '),
    HARD,
    ...'--credit-card-number-file card.txt --expire-month 12 --expire-year 2031'.split(' '),
    ...'--card-printed-name Anna --destination-card-no-file card.txt'.split(' '),
  ]
  const { code, stdout, stderr } = await call(gateway, transfer, { COUNTERFOIL_CVV2: CVV })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(`${JSON.stringify(ACCEPTED)}\n`)
  expect(gateway.received).toMatchObject([
    {
      path: '/gate/api/v4/transfer/1144',
      form: [
        ['client_orderid', '902B4FF5'],
        ['amount', '10.42'],
        ['currency', 'EUR'],
        ['order_desc', HARD],
        ['credit_card_number', CARD],
        ['cvv2', CVV],
        ['expire_month', '12'],
        ['expire_year', '2031'],
        ['card_printed_name', 'Anna'],
        ['destination-card-no', CARD],
      ],
    },
  ])
})

test.each<[string, (response: ServerResponse) => void, string, RegExp]>([
  [
    'what is not accepted',
    (response) => answer(response, 422, INVALID),
    `${JSON.stringify(INVALID)}\n`,
    /^counterfoil: problem: A field is missing: amount.*\nNext: correct what was asked for\.\nRequest id: request-1\n$/,
  ],
  [
    'a failure of the gateway',
    (response) => answer(response, 500, { ...INVALID, type: 'error' }),
    `${JSON.stringify({ ...INVALID, type: 'error' })}\n`,
    /\nNext: tell the operator the request id\./,
  ],
  [
    'a refusal',
    (response) => refuse(response, 'signature'),
    '',
    /refused: .*\nYou are not authorised.*\nsignature\nNext: check the login/,
  ],
  [
    'no answer',
    (response) => void response.destroy(),
    '',
    /connection: .*\nIt may have been accepted: the same call again/,
  ],
])('the command ends with exit code 1 after %s', async (_, handle, stdout, stderr) => {
  const gateway = await startGateway(handle)
  const ended = await call(gateway, [...REF, '--destination-card-ref-id', '17'])
  expect(ended).toEqual({ code: 1, stdout, stderr: expect.stringMatching(stderr) })
  expect(ended.stderr).not.toContain(CONTROL_KEY)
})

test.each([
  ['an unknown operation', ['refund'], /unknown command 'refund'/],
  ['a field that is missing', ['payout'], /required option '--client-order-id/],
  ['a card number as an argument', [...REF, '--destination-card-no', CARD], /unknown option/],
  ['a file that is not there', [...REF, '--destination-card-no-file', 'none'], /ENOENT/],
  ['two keys', [...REF, '--control-key-file', 'a', '--private-key', 'b'], /expected one key/],
  [
    'an API over plain HTTP',
    [...REF, '--api-url', 'http://gateway.example/'],
    /apiUrl: expected https:/,
  ],
])('the command ends with exit code 2 for %s', async (_, options, message) => {
  const gateway = await startGateway((response) => answer(response, 200, ACCEPTED))
  expect(await call(gateway, options)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(message),
  })
  expect(gateway.received).toEqual([])
})

test('every operation is a command, and every field an option of its own', () => {
  const program = createProgram({ report: async () => {}, call: async () => {} })
  const commands = program.commands.find((command) => command.name() === 'call')?.commands ?? []
  expect(commands.map((command) => command.name())).toEqual(Object.keys(OPERATIONS))
  for (const command of commands) {
    const fields = Object.values(OPERATIONS).find(({ name }) => name === command.name())?.fields
    const names = command.options.map((option) => option.attributeName())
    expect(new Set(names).size).toBe(names.length)
    // Beside the six of every command: where the operations are, and which endpoint.
    expect(names).toHaveLength((fields?.length ?? 0) + 8)
  }
})
