import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeForm, importControlKey, type RequestToSign, sign } from '@counterfoil/signing'
import { describe, expect, test } from 'vitest'
import { folder, run, useFolder } from './fixture.ts'

const URL_TEXT = 'https://gate.example.com/gate/api/v4/payout/1144'
const HTTP = URL_TEXT.replace('https', 'http')
const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'
const ENV = { COUNTERFOIL_LOGIN: 'shop', COUNTERFOIL_CONTROL_KEY: CONTROL_KEY }
const FORM = [
  ['amount', '10.42'],
  ['order_desc', "Jane's tea"],
] as const
const BODY = encodeForm(FORM)
const NOW = 1_700_000_000

useFolder()

async function signed(request: Partial<RequestToSign> = {}) {
  const credentials = { consumerKey: 'shop', key: await importControlKey(CONTROL_KEY) }
  const message = { method: 'POST', url: URL_TEXT, form: FORM, ...request }
  return await sign(message, credentials, { timestampSeconds: NOW, nonce: 'n1' })
}

/** A request whose signature is of http for https. */
const wrong = async () => (await signed({ url: HTTP })).authorization

async function explain(input: string, args: readonly string[] = [], env: object = ENV) {
  return await run(['explain', ...args], { env: { ...env }, input })
}

function har(authorization: string, startedDateTime = new Date(NOW * 1000).toISOString()) {
  const headers = [
    { name: 'authorization', value: authorization },
    { name: 'Content-Type', value: 'application/x-www-form-urlencoded' },
  ]
  const postData = { mimeType: 'application/x-www-form-urlencoded', text: BODY }
  return { startedDateTime, request: { method: 'POST', url: URL_TEXT, headers, postData } }
}

const NAMED = `Mistake: You signed http for https, or https for http.
Fix: Sign the scheme of the gateway's public address, also behind a proxy that ends TLS.
Clause: RFC 5849, 3.4.1.2 (url-scheme)
`

describe('names the mistake in', () => {
  const type = ['--content-type', 'application/x-www-form-urlencoded']
  const form = ['--url', URL_TEXT, '--data', 'body', ...type]
  const pasted: Record<string, (authorization: string) => readonly [string, readonly string[]]> = {
    'an Authorization header': (header) => [`Authorization: ${header}\n`, form],
    'an option of curl': (header) => [`-H 'Authorization: ${header}'`, form],
    'the value of a header, with line breaks': (header) => [header.replaceAll(',', ',\n  '), form],
    'a curl command line': (header) => [
      `curl -sS -X POST '${URL_TEXT}' \\\n  -H "Authorization: ${header.replaceAll('"', '\\"')}" \\\n  --data '${BODY}'`,
      [],
    ],
    'a curl command line of a browser': (header) => [
      `curl '${URL_TEXT}' -H $'authorization: ${header}' -H 'accept: */*' --compressed --data-raw $'${BODY.replace('%', '\\u0025')}'`,
      [],
    ],
    'a curl command line with short and joined options': (header) => [
      `$ curl -XPOST --url=${URL_TEXT} -o out.txt -H'Authorization: ${header}' -d amount=10.42 --data-urlencode "order_desc=Jane's tea"`,
      [],
    ],
    'a curl command line with a file': (header) => [
      `curl ${URL_TEXT} -H 'Authorization: ${header}' -d @body`,
      [],
    ],
    'an entry of a HAR file': (header) => [JSON.stringify(har(header)), []],
    'a HAR file': (header) => {
      const other = { request: { method: 'GET', url: URL_TEXT, headers: [] } }
      return [JSON.stringify({ log: { entries: [other, har(header)] } }), []]
    },
  }
  test.each(Object.entries(pasted))('%s', async (_, write) => {
    await writeFile(join(folder, 'body'), BODY)
    const [input, args] = write(await wrong())
    const { code, stdout, stderr } = await explain(input, args)
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
    expect(stdout.startsWith(NAMED)).toBe(true)
    expect(stdout).toContain('First difference: character 10, in the URL\n')
  })
})

test('marks the first character that differs, and never prints the key', async () => {
  await writeFile(join(folder, 'har.json'), JSON.stringify(har(await wrong())))
  const { stdout } = await explain('', ['har.json'])
  const [, gateway = '', yours = '', mark = ''] = /URL\n(.*)\n(.*)\n(.*)\n/.exec(stdout) ?? []
  expect(gateway).toBe('  gateway  POST&https%3A%2F%2Fgate.example.co')
  expect(yours).toBe('  yours    POST&http%3A%2F%2Fgate.example.com')
  expect([gateway[mark.length - 1], yours[mark.length - 1]]).toEqual(['s', '%'])
  const json = await explain('', ['har.json', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({
    outcome: 'mistake',
    mistake: { code: 'url-scheme' },
    difference: { at: 10, part: 'url' },
  })
  expect(stdout + json.stdout).not.toContain(CONTROL_KEY)
})

test('says that a right request is right', async () => {
  const { authorization } = await signed()
  const { code, stdout } = await explain(JSON.stringify(har(authorization)))
  expect(code).toBe(0)
  expect(stdout).toMatch(/^The signature is right\.\n/)
  expect(stdout).toContain('Only the gateway knows whether the nonce is new')
  expect(stdout).toContain('\n2023-11-14T22:13:20Z, whether https://gate.example.com is its public')
  const json = await explain(JSON.stringify(har(authorization)), ['--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'correct' })
})

test('names a clock that is ten minutes off by the time in a HAR file', async () => {
  const { authorization } = await signed()
  for (const minutes of [-10, 10]) {
    const sentAt = new Date((NOW + minutes * 60) * 1000).toISOString()
    const { code, stdout } = await explain(JSON.stringify(har(authorization, sentAt)))
    expect(code).toBe(3)
    expect(stdout).toMatch(
      /^Mistake: The clock of your machine is wrong.*\n.*\n.*\(timestamp-range\)$/m,
    )
  }
})

test('compares base strings without a key', async () => {
  await writeFile(
    join(folder, 'mine.txt'),
    `${(await signed({ url: `${URL_TEXT}/` })).baseString}\n`,
  )
  const { authorization } = await signed({ url: `${URL_TEXT}/` })
  const args = ['--base-string', 'mine.txt']
  const { code, stdout } = await explain(JSON.stringify(har(authorization)), args, {})
  expect(code).toBe(3)
  expect(stdout).toContain('(url-trailing-slash)')
  expect(stdout).toContain('First difference: character 70, in the URL')
})

test('says that a base string is right, and that the signature needs a key', async () => {
  const { authorization, baseString } = await signed({})
  await writeFile(join(folder, 'mine.txt'), baseString)
  const input = JSON.stringify(har(authorization))
  const { code, stdout } = await explain(input, ['--base-string', 'mine.txt'], {})
  expect(code).toBe(1)
  expect(stdout).toMatch(/^Your base string is right\. Pass the key too/)
  expect(stdout).not.toContain('Reason:')
})

test('knows nothing of a foreign key, and advises to pass the base string', async () => {
  const input = JSON.stringify(har(await wrong()))
  const foreign = { COUNTERFOIL_LOGIN: 'shop', COUNTERFOIL_CONTROL_KEY: 'another-key' }
  const { code, stdout } = await explain(input, [], foreign)
  expect(code).toBe(1)
  expect(stdout).toMatch(/^No known mistake leads to this signature\.\n/)
  expect(stdout).toContain('--base-string FILE')
})

test.each<[string, string, readonly string[], string]>([
  ['a command in it', 'curl a -H "Authorization: $(date)"', [], 'run it after "set -x", and'],
  ['another text', 'GET / HTTP/1.1', [], 'expected an Authorization header, a curl command line'],
  ['an open quote', `curl 'https://a`, [], 'has a quote that does not end'],
  ['no value', 'curl https://a -H', [], '-H of the curl command line has no value'],
  ['an upload', 'curl -F a=b https://a', [], 'cannot read -F of a curl command line'],
  ['other JSON', '{"a":1}', [], 'expected an entry of a HAR file'],
  ['a missing file', 'OAuth a="b"', ['--data', 'absent'], '--data: cannot read the file: ENOENT'],
])('refuses %s', async (_, input, args, message) => {
  const { code, stderr, stdout } = await explain(input, [...args])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
})

test.each([{}, { ...ENV, COUNTERFOIL_LOGIN: 'other' }])(
  'needs the key of the login',
  async (env) => {
    const { code, stderr } = await explain(JSON.stringify(har(await wrong())), [], env)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('missing the key of the login shop: use'),
    })
  },
)
