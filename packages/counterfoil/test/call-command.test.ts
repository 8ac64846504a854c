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

test('reads standard input as a file', async () => {
  const gateway = await startGateway((response) => sendAnswer(response, 200, ACCEPTED))
  const command = `counterfoil call ${PAYOUT.join(' ')} --endpoint 1`
  const ended = await shell(
    gateway,
    `cat card.txt | ${command} --credit-card-number-file /dev/stdin`,
  )
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(gateway.received[0]?.form).toContainEqual(['credit_card_number', CARD])
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
    'a failure of the gateway',
    4,
    (response) => sendAnswer(response, 500, { ...INVALID, type: 'error' }),
    `${JSON.stringify({ ...INVALID, type: 'error' })}\n`,
    /\nNext: tell the operator the request id\./,
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

test('does not say that it may have been accepted where there was no connection', async () => {
  const gateway = await startGateway((response) => sendAnswer(response, 200, ACCEPTED))
  await gateway.close()
  expect(await call(gateway, [...REF, '--destination-card-ref-id', '17'])).toEqual({
    code: 5,
    stdout: '',
    stderr: expect.stringMatching(/ECONNREFUSED.*\nNothing was sent\.\nNext: check --api-url/),
  })
})

const ONE_PLACE = / --cvv2-file or the variable COUNTERFOIL_CVV2, not both/
const NO_ARGUMENT = /unknown option '--credit-card-number'\n/

test.each<[string, readonly string[], RegExp]>([
  ['a field that is missing', ['payout', '--amount', '1'], /missing --client-order-id, --currency/],
  [
    'a misspelt option',
    ['payout', '--amont', '1'],
    /option '--amont'\n\(Did you mean --amount\?\)/,
  ],
  ['a misspelt option and its value', ['payout', `--crd=${CARD}`], /unknown option '--crd'\n/],
  ['a field as it is sent', ['payout', '--client_orderid', '1'], /mean --client-order-id\?/],
  ['a card number as an argument', [...PAYOUT, '--credit-card-number', CARD], NO_ARGUMENT],
  ['the same with an equals sign', [...PAYOUT, `--credit-card-number=${CARD}`], NO_ARGUMENT],
  ['a card number alone', [...PAYOUT, CARD], /too many arguments/],
  ['a verification value as an argument', [...PAYOUT, '--cvv2', CVV], /unknown option '--cvv2'\n/],
  ['a card number as a file', [...PAYOUT, '--credit-card-number-file', CARD], /ENOENT/],
  [
    'a file that is not there',
    [...PAYOUT, '--cvv2-file', 'none'],
    /--cvv2-file: .* no such file or directory$/m,
  ],
])('ends with exit code 2 for %s, and says where help is', async (_, options, message) => {
  const gateway = await startGateway((response) => sendAnswer(response, 200, ACCEPTED))
  const { code, stdout, stderr } = await call(gateway, options)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^counterfoil: /)
  expect(stderr).toMatch(message)
  expect(stderr).toMatch(new RegExp(`\nSee: counterfoil call ${options[0]} --help\n$`))
  expect(stderr).not.toMatch(new RegExp(`${CARD}|${CVV}`))
  expect(gateway.received).toEqual([])
})

test('takes a value from a file or a variable, not from both', async () => {
  const gateway = await startGateway((response) => sendAnswer(response, 200, ACCEPTED))
  const both = await call(gateway, [...PAYOUT, '--cvv2-file', 'card.txt'], {
    COUNTERFOIL_CVV2: CVV,
  })
  expect(both).toMatchObject({ code: 2, stderr: expect.stringMatching(ONE_PLACE) })
  expect(gateway.received).toEqual([])
})

test('sends nothing to another machine over plain HTTP, and knows its operations', async () => {
  const gateway = await startGateway((response) => sendAnswer(response, 200, ACCEPTED))
  expect(await call(gateway, [...REF, '--api-url', 'http://gateway.example/'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('apiUrl: expected https:'),
  })
  expect(await call(gateway, ['refund'])).toMatchObject({
    code: 2,
    stderr: "counterfoil: unknown command 'refund'\nSee: counterfoil call --help\n",
  })
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

test('takes what may be true as true where it is said alone', async () => {
  const gateway = await startGateway((response) => sendAnswer(response, 200, ACCEPTED))
  for (const said of [['--deposit2card'], ['--deposit2card', 'false']]) {
    const options = ['--destination-card-no-file', 'card.txt', ...said]
    expect(await call(gateway, ['transfer', ...ORDER, ...options])).toMatchObject({ code: 0 })
  }
  const sent = gateway.received.map(({ form = [] }) => new Map(form).get('deposit2card'))
  expect(sent).toEqual(['true', 'false'])
})
