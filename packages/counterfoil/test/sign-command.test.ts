import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  BODY_LOGIN,
  CONTROL_KEY,
  LOGIN,
  PRIVATE_KEY,
  RSA_LOGIN,
  sendReport,
  startGateway,
} from '../../client/test/fixture-gateway.ts'
import { folder, run, useFolder } from './fixture.ts'

useFolder()

const FIXED = ['--nonce', '5f2c9a1e7b3d4c60', '--timestamp', '1700000000']
const URL = 'https://gate.example.com/gate/api/v4/payout/1144'
const MERCHANT = { COUNTERFOIL_LOGIN: LOGIN, COUNTERFOIL_CONTROL_KEY: CONTROL_KEY }

test('shows each step with its clause, and masks the key', async () => {
  const args = ['sign', `${URL}?x=1`, '--field', 'amount=10.42', '--field', 'order_desc=50% ж']
  const { code, stdout } = await run([...args, ...FIXED], { env: MERCHANT })
  expect(code).toBe(0)
  expect(stdout.match(/^\d\. .*/gm)).toHaveLength(7)
  expect(stdout).toMatch(/^1\. Gather the parameters \(RFC 5849, 3\.4\.1\.3\.1; specification, /)
  expect(stdout).toContain(`
   header      oauth_version           1.0
   query       x                       1
   form        amount                  10.42
   form        order_desc              50% ж
`)
  expect(stdout).toContain('\n   ********&  (a control key of 36 characters, then &)\n')
  expect(stdout).toContain('\n   NI0DJOqHbkqqXBSAcqk1fA1+1Oo=\n')
  expect(stdout).toContain('\n   (body): amount=10.42&order_desc=50%25%20%D0%B6\n')
})

test('names the RSA key by its fingerprint', async () => {
  await writeFile(join(folder, 'key.pem'), PRIVATE_KEY)
  const args = ['sign', URL, '--login', RSA_LOGIN, '--private-key', 'key.pem', ...FIXED]
  const { stdout } = await run(args)
  expect(stdout).toMatch(/\n5\. Take the key .*\n.*\n\n {3}RSA 2048, SHA256:[\w+/]{43}=\n/)
  expect(stdout).toContain('(RFC 5849, 3.4.3, with SHA-256 in place of SHA-1; ')
  expect(stdout).not.toContain('PRIVATE')
})

test('a gateway accepts the headers that the command shows', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const body = JSON.stringify({ reportIdentifier: 'transactions-list' })
  await writeFile(join(folder, 'request.json'), body)
  for (const [login, options] of [
    [LOGIN, []],
    [BODY_LOGIN, ['--sign-body']],
  ] as const) {
    const env = { ...MERCHANT, COUNTERFOIL_LOGIN: login, COUNTERFOIL_ENDPOINT: gateway.endpoint }
    const args = ['sign', '--body', 'request.json', '--json', ...options]
    const { stdout } = await run(args, { env })
    const { headers } = JSON.parse(stdout) as { headers: Record<string, string> }
    const reply = await fetch(gateway.endpoint, { method: 'POST', headers, body })
    expect(await reply.text()).toContain('"Id"')
  }
  expect(gateway.received.map(({ login }) => login)).toEqual([LOGIN, BODY_LOGIN])
})

const CARD = '4111111111111111'

test.each<[string, readonly string[], string]>([
  ['no URL', [], 'missing --endpoint (or COUNTERFOIL_ENDPOINT)'],
  ['a relative URL', ['/gate/api'], 'cannot sign the request: expected an absolute http or'],
  ['a field without a value', [URL, '--field', 'amount'], 'Expected NAME=VALUE.'],
  ['a card number', [URL, '--field', `credit_card_number=${CARD}`], 'Pass the value in a file.'],
  ['fields and a body', [URL, '--field', 'a=b', '--body', 'x'], 'use --field or --body, not both'],
  ['a body that is not there', [URL, '--body', 'none'], '--body: cannot read the file: ENOENT'],
  ['no key', [URL, '--control-key-file', 'none'], '--control-key-file: cannot read the file: '],
])('ends with exit code 2 for %s', async (_, args, message) => {
  const { code, stdout, stderr } = await run(['sign', ...args], { env: MERCHANT })
  expect(stderr).toContain(message)
  expect(stderr).not.toContain(CARD)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})
