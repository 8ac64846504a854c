import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { OPERATIONS, validateForm } from '@counterfoil/protocol'
import { beforeEach, expect, test } from 'vitest'
import {
  ACCEPTED,
  acceptedOf,
  apiUrlOf,
  CONTROL_KEY,
  type FixtureGateway,
  INVALID,
  LOGIN,
  refuse,
  sendAnswer,
  startGateway,
} from '../../client/test/fixture-gateway.ts'
import { folder, useFolder } from './fixture.ts'
import { CHILD_ENV, type Ended, endOf, MAIN, runHere } from './run-command.ts'

const CARD = '4111111111111111'
const CVV = '977'

/** What a form has to bring through unharmed. */
const HARD = 'a+b c%20&d=e~\'"() Оплата ค่าเช่า \u{1F4B8}'

const ORDER = '--field client-order-id=902B4FF5 --field amount=10.42 --field currency=EUR'.split(
  ' ',
)
const REF = ['transfer-by-ref', ...ORDER]

useFolder()
beforeEach(async () => {
  await writeFile(join(folder, 'card.txt'), `${CARD}\n`)
})

function merchant(gateway: FixtureGateway): NodeJS.ProcessEnv {
  return {
    COUNTERFOIL_API_URL: apiUrlOf(gateway),
    COUNTERFOIL_LOGIN: LOGIN,
    COUNTERFOIL_CONTROL_KEY: CONTROL_KEY,
  }
}

/** Runs `counterfoil call` as the fixture's merchant, for endpoint 1144. */
async function call(
  gateway: FixtureGateway,
  [operation = '', ...options]: readonly string[],
): Promise<Ended> {
  const args = ['call', operation, '--endpoint', '1144', ...options]
  return await runHere(args, { folder, env: merchant(gateway) })
}

/** Runs lines of a shell that knows `counterfoil`, as the fixture's merchant. */
async function shell(gateway: FixtureGateway, lines: string): Promise<Ended> {
  const own = { PATH: process.env['PATH'], NODE: process.execPath, MAIN }
  const env = { ...CHILD_ENV, ...merchant(gateway), ...own }
  const script = `counterfoil() { "$NODE" "$MAIN" "$@"; }\n${lines}`
  return await endOf(spawn('sh', ['-ec', script], { cwd: folder, env }))
}

test('sends what its options, files and variables say, and prints the answer', async () => {
  const gateway = await startGateway((response) => sendAnswer(response, 200, ACCEPTED))
  const card = '--field-file credit_card_number=card.txt --field-file destination-card-no=card.txt'
  const transfer = ['transfer', ...ORDER, '--field', `order_desc=${HARD}`, ...card.split(' ')]
  const { code, stdout, stderr } = await call(gateway, transfer)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(`${JSON.stringify(ACCEPTED)}\n`)
  expect(gateway.received).toMatchObject([
    {
      path: '/gate/api/v4/transfer/1144',
      form: [
        ['client-order-id', '902B4FF5'],
        ['amount', '10.42'],
        ['currency', 'EUR'],
        ['order_desc', HARD],
        ['credit_card_number', CARD],
        ['destination-card-no', CARD],
      ],
    },
  ])
})

test.each<[string, number, (response: ServerResponse) => void, string, RegExp]>([
  [
    'what is not accepted',
    4,
    (response) => sendAnswer(response, 422, INVALID),
    `${JSON.stringify(INVALID)}\n`,
    /^counterfoil: operation-refused: A field is missing. amount.*\nNext: correct the request\.\nRequest id: request-1\n$/,
  ],
  [
    'a refusal that tells the request id',
    3,
    (response) => refuse(response, 'Request id: request-1\nsignature'),
    '',
    /not-authorised: .*\nYou are not authorised.*\nRequest id: request-1\nsignature\nNext: check the login.*, the host, port and path of --api-url.*\n$/,
  ],
  [
    'a path that is none',
    4,
    (response) => {
      const problem = { type: 'x', title: 'x', code: 'x', detail: 'x', requestId: 'x', status: 404 }
      response.setHeader('Content-Type', 'application/problem+json')
      response.writeHead(404).end(JSON.stringify(problem))
    },
    '',
    /\nNext: check the path of --api-url; a production gateway has no operations\./,
  ],
  [
    'no answer',
    5,
    (response) => void response.destroy(),
    '',
    /network-error: .*\nThe gateway may have accepted the operation\. Repeat the call.*\nNext: check --api-url and/,
  ],
])('after %s: ends with exit code %i', async (_, code, handle, stdout, stderr) => {
  const gateway = await startGateway(handle)
  const ended = await call(gateway, [...REF, '--field', 'destination-card-ref-id=17'])
  expect(ended).toEqual({ code, stdout, stderr: expect.stringMatching(stderr) })
  expect(ended.stderr).not.toContain(CONTROL_KEY)
})

test.each<[string, readonly string[], RegExp]>([
  ['a misspelt option and its value', ['payout', `--feild=${CARD}`], /unknown option '--feild'\n/],
  ['a card number', [...REF, '--field', `destination-card-no=${CARD}`], /Pass the value in a file/],
  [
    'a verification value',
    [...REF, '--field', `cvv2=${CVV}`],
    /is now in the history of the shell/,
  ],
  ['a card number alone', [...REF, CARD], /too many arguments/],
  ['a card number as a file', [...REF, '--field-file', `x=${CARD}`], /--field-file: .*ENOENT/],
  ['a field without a value', [...REF, '--field', 'purpose'], /Expected NAME=VALUE/],
  ['plain HTTP', [...REF, '--api-url', 'http://gateway.example/'], /apiUrl: expected https:/],
  [
    'another operation',
    ['refund'],
    /: unknown operation; expected .*\nSee: counterfoil call --help\n/,
  ],
])('ends with exit code 2 for %s', async (_, options, message) => {
  const gateway = await startGateway((response) => sendAnswer(response, 200, ACCEPTED))
  const { code, stdout, stderr } = await call(gateway, options)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(new RegExp(`${CARD}|${CVV}`))
  expect(gateway.received).toEqual([])
})

test('lists the fields of each operation, and shows an example that works', async () => {
  const { stdout } = await runHere(['call', '--help'], { folder })
  expect(stdout).toMatch(/^ {2}payout: pay the merchant's money out to a bank account or a card$/m)
  expect(stdout).toMatch(/^ {4}client-order-id \* +the merchant's order id$/m)
  const gateway = await startGateway((response, { form = [], path }) => {
    const result = validateForm(OPERATIONS['transfer-by-ref'], form)
    sendAnswer(response, 200, 'faults' in result ? result : acceptedOf(path))
  })
  const [, example = ''] = /\nExample, .*:\n([^]*?)\n\n/.exec(stdout) ?? []
  expect(await shell(gateway, example)).toMatchObject({ code: 0, stderr: '' })
  expect(gateway.received[0]?.form).toContainEqual(['destination-card-no', '9001000000000000'])
})
