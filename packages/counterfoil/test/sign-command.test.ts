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
import { folder, useFolder } from './fixture.ts'
import { runHere } from './run-command.ts'

useFolder()

const FIXED = ['--nonce', '5f2c9a1e7b3d4c60', '--timestamp', '1700000000']
const URL = 'https://gate.example.com/gate/api/v4/payout/1144'
const MERCHANT = { COUNTERFOIL_LOGIN: LOGIN, COUNTERFOIL_CONTROL_KEY: CONTROL_KEY }

test('shows each step with its clause, and masks the key', async () => {
  const args = ['sign', `${URL}?x=1`, '--field', 'amount=10.42', '--field', 'order_desc=50% ж']
  const { code, stdout } = await runHere([...args, ...FIXED], { folder, env: MERCHANT })
  expect(code).toBe(0)
  expect(
    stdout,
  ).toBe(`1. Gather the parameters (RFC 5849, 3.4.1.3.1; specification, "Signature generation", 1)
   Take the oauth_* parameters, the query and the fields of a form; no other body counts.

   header  oauth_consumer_key      shop
   header  oauth_nonce             5f2c9a1e7b3d4c60
   header  oauth_signature_method  HMAC-SHA1
   header  oauth_timestamp         1700000000
   header  oauth_version           1.0
   query   x                       1
   form    amount                  10.42
   form    order_desc              50% ж

2. Encode each name and each value (RFC 5849, 3.6; specification, "Signature generation", 2)
   Letters, digits and -._~ stay; each other byte of the UTF-8 text becomes %XX.

   oauth_consumer_key=shop
   oauth_nonce=5f2c9a1e7b3d4c60
   oauth_signature_method=HMAC-SHA1
   oauth_timestamp=1700000000
   oauth_version=1.0
   x=1
   amount=10.42
   order_desc=50%25%20%D0%B6

3. Sort and join the parameters (RFC 5849, 3.4.1.3.2; specification, "Signature generation", 3 and 4)
   Sort by encoded name, then by encoded value, byte by byte, and join the pairs with &.

   amount=10.42
   oauth_consumer_key=shop
   oauth_nonce=5f2c9a1e7b3d4c60
   oauth_signature_method=HMAC-SHA1
   oauth_timestamp=1700000000
   oauth_version=1.0
   order_desc=50%25%20%D0%B6
   x=1

   amount=10.42&oauth_consumer_key=shop&oauth_nonce=5f2c9a1e7b3d4c60&oauth_signature_method=HMAC-SHA1&oauth_timestamp=1700000000&oauth_version=1.0&order_desc=50%25%20%D0%B6&x=1

4. Build the base string (RFC 5849, 3.4.1.1 and 3.4.1.2; specification, "Signature generation", 5)
   Encode the method, the URL and the parameters once more, and join the three with &.

   method      POST
   URL         https://gate.example.com/gate/api/v4/payout/1144
   parameters  the joined text above

   POST&https%3A%2F%2Fgate.example.com%2Fgate%2Fapi%2Fv4%2Fpayout%2F1144&amount%3D10.42%26oauth_consumer_key%3Dshop%26oauth_nonce%3D5f2c9a1e7b3d4c60%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1700000000%26oauth_version%3D1.0%26order_desc%3D50%2525%2520%25D0%25B6%26x%3D1

5. Take the key (RFC 5849, 3.4.2; specification, "Signature generation", 6)
   The key is the encoded control key, then &, then a token secret, which is empty here.

   ********&  (a control key of 36 characters, then &)

6. Sign the base string (RFC 5849, 3.4.2; specification, "Signature generation", 6 and 7)
   Compute HMAC-SHA1 of the base string, and write its 20 bytes in base64.

   NI0DJOqHbkqqXBSAcqk1fA1+1Oo=

7. Write the header (RFC 5849, 3.5.1; specification, "Authorization header")
   Write the encoded oauth_* parameters and the signature in quotes, with commas between.

   Authorization: OAuth oauth_consumer_key="shop",oauth_nonce="5f2c9a1e7b3d4c60",oauth_signature="NI0DJOqHbkqqXBSAcqk1fA1%2B1Oo%3D",oauth_signature_method="HMAC-SHA1",oauth_timestamp="1700000000",oauth_version="1.0"
   Content-Type: application/x-www-form-urlencoded
   (body): amount=10.42&order_desc=50%25%20%D0%B6

`)
})

test('names the RSA key by its fingerprint', async () => {
  await writeFile(join(folder, 'key.pem'), PRIVATE_KEY)
  const args = ['sign', URL, '--login', RSA_LOGIN, '--private-key', 'key.pem', ...FIXED]
  const { stdout } = await runHere(args, { folder })
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
    const { stdout } = await runHere(args, { folder, env })
    const { headers } = JSON.parse(stdout) as { headers: Record<string, string> }
    const reply = await fetch(gateway.endpoint, { method: 'POST', headers, body })
    expect(await reply.text()).toContain('"Id"')
  }
  expect(gateway.received.map(({ login }) => login)).toEqual([LOGIN, BODY_LOGIN])
})

test.each<[string, readonly string[], string]>([
  ['no URL', [], 'missing --endpoint (or COUNTERFOIL_ENDPOINT)'],
  [
    'a relative URL',
    ['/gate/api'],
    'cannot sign the request: expected an absolute http or https URL',
  ],
  ['a field without a value', [URL, '--field', 'amount'], 'Expected NAME=VALUE.'],
  [
    'a card number as an argument',
    [URL, '--field', 'credit_card_number=4111111111111111'],
    'Put the form into a file for --body.',
  ],
  ['fields and a body', [URL, '--field', 'a=b', '--body', 'x'], 'use --field or --body, not both'],
  ['a body that is not there', [URL, '--body', 'none'], '--body: cannot read the file: ENOENT'],
  [
    'no key',
    [URL, '--control-key-file', 'none'],
    '--control-key-file: cannot read the file: ENOENT',
  ],
])('ends with exit code 2 for %s', async (_, args, message) => {
  const { code, stdout, stderr } = await runHere(['sign', ...args], { folder, env: MERCHANT })
  expect(stderr).toContain(message)
  expect(stderr).not.toContain('4111111111111111')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})
