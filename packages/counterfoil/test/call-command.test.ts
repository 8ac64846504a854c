import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { OPERATIONS, validateForm } from '@counterfoil/protocol'
import type { Command } from 'commander'
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
import { CHILD_ENV, type Ended, endOf, idleProgram, MAIN, runHere } from './run-command.ts'

const CARD = '4111111111111111'
const CVV = '977'

/** What a form has to bring through unharmed. */
const HARD = 'a+b c%20&d=e~\'"() Оплата ค่าเช่า \u{1F4B8}'

const ORDER = '--client-order-id 902B4FF5 --amount 10.42 --currency EUR'.split(' ')
const REF = ['transfer-by-ref', ...ORDER]
const PAYOUT = ['payout', ...ORDER]

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
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const place = { folder, env: { ...merchant(gateway), ...env } }
  return await runHere(['call', operation, '--endpoint', '1144', ...options], place)
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
  const transfer = [
    'transfer',
    ...ORDER,
    '--order-desc',
    HARD,
    ...'--credit-card-number-file card.txt --expire-month 12 --expire-year 2031'.split(' '),
    ...'--card-printed-name Anna --destination-card-no-file card.txt --deposit2card'.split(' '),
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
        ['deposit2card', 'true'],
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
  const ended = await call(gateway, [...REF, '--destination-card-ref-id', '17'])
  expect(ended).toEqual({ code, stdout, stderr: expect.stringMatching(stderr) })
  expect(ended.stderr).not.toContain(CONTROL_KEY)
})

test.each<[string, readonly string[], RegExp]>([
  ['a field that is missing', ['payout', '--amount', '1'], /missing --client-order-id, --currency/],
  [
    'a misspelt option',
    ['payout', '--amont', '1'],
    /option '--amont'\n\(Did you mean --amount\?\)/,
  ],
  ['a misspelt option and its value', ['payout', `--crd=${CARD}`], /unknown option '--crd'\n/],
  ['a field as it is sent', ['payout', '--client_orderid', '1'], /mean --client-order-id\?/],
  [
    'a card number as an argument',
    [...PAYOUT, `--credit-card-number=${CARD}`],
    /unknown option '--credit-card-number'\n/,
  ],
  ['a card number alone', [...PAYOUT, CARD], /too many arguments/],
  ['a card number as a file', [...PAYOUT, '--credit-card-number-file', CARD], /--credit-.*ENOENT/],
  [
    'a file and a variable',
    [...PAYOUT, '--cvv2-file', 'card.txt'],
    / --cvv2-file or the variable COUNTERFOIL_CVV2, not both/,
  ],
  ['plain HTTP', [...REF, '--api-url', 'http://gateway.example/'], /apiUrl: expected https:/],
  [
    'another operation',
    ['refund'],
    /^counterfoil: unknown command 'refund'\nSee: .* call --help\n/,
  ],
])('ends with exit code 2 for %s', async (_, options, message) => {
  const gateway = await startGateway((response) => sendAnswer(response, 200, ACCEPTED))
  const { code, stdout, stderr } = await call(gateway, options, { COUNTERFOIL_CVV2: CVV })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(new RegExp(`${CARD}|${CVV}`))
  expect(gateway.received).toEqual([])
})

function callsOf(program: Command): readonly Command[] {
  return program.commands.find((command) => command.name() === 'call')?.commands ?? []
}

test('every operation is a command, and every field an option of its own', () => {
  const commands = callsOf(idleProgram())
  expect(commands.map((command) => command.name())).toEqual(Object.keys(OPERATIONS))
  for (const command of commands) {
    const fields = Object.values(OPERATIONS).find(({ name }) => name === command.name())?.fields
    const names = command.options.map((option) => option.attributeName())
    expect(new Set(names).size).toBe(names.length)
    // Beside the seven of every command: where the operations are, and which endpoint.
    expect(command.options).toHaveLength((fields?.length ?? 0) + 9)
  }
})

test("an operation's help says what is needed, and with what", () => {
  const payout = callsOf(idleProgram()).find((command) => command.name() === 'payout')
  const parts = payout?.helpInformation().split('\n\n') ?? []
  const headings = parts
    .filter((part) => /^(?:Req|One|Only)/.test(part))
    .map((part) => {
      const [heading = ''] = part.split('\n')
      return [heading, ...(part.match(/(?<=^ {2})--[\w-]+/gm) ?? [])]
    })
  expect(headings).toEqual([
    ['Required:', ...'--endpoint --client-order-id --amount --currency'.split(' ')],
    ['One of these as the destination:', '--account-number', '--credit-card-number-file'],
    ['Required with --account-number:', '--bank-name'],
    [
      'Only with --account-number:',
      ...'--bank-branch --bank-code --bank-address1 --bank-zip-code --routing-number'.split(' '),
      ...'--bank-province --bank-area --bank-city --account-name'.split(' '),
    ],
    [
      'Only with --credit-card-number-file:',
      ...'--card-printed-name --expire-month --cvv2-file'.split(' '),
    ],
    ['Required with --expire-month:', '--expire-year'],
  ])
})

test.each(Object.values(OPERATIONS))(
  'the example in the help of $name works',
  async (operation) => {
    const gateway = await startGateway((response, { form = [], path }) => {
      const result = validateForm(operation, form)
      sendAnswer(response, 200, 'faults' in result ? result : acceptedOf(path))
    })
    const help = await runHere(['call', operation.name, '--help'], { folder })
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('always prints the answer as a line of JSON'),
    })
    const [, example = ''] = /\nExample, .*:\n([^]*?)\n\n/.exec(help.stdout) ?? []
    expect(await shell(gateway, example)).toMatchObject({ code: 0, stderr: '' })
    expect(gateway.received[0]?.form).toContainEqual([expect.any(String), '9001000000000000'])
  },
)
