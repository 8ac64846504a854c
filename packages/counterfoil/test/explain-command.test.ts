import { createServer as createHttpServer } from 'node:http'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { Server } from 'node:net'
import { join } from 'node:path'
import {
  encodeForm,
  importControlKey,
  readPasted,
  type RequestToSign,
  sign,
} from '@counterfoil/signing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeCertificate } from '../../client/test/make-certificate.ts'
import { folder, useFolder } from './fixture.ts'
import { runHere } from './run-command.ts'
import { splitWords } from '../../signing/src/pasted/parse-curl.ts'

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
  return await runHere(['explain', ...args], { folder, env: { ...env }, input })
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
  const form = [
    '--url',
    URL_TEXT,
    '--data',
    'body',
    '--content-type',
    'application/x-www-form-urlencoded',
  ]
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

  test('a file, with the differing character marked', async () => {
    await writeFile(join(folder, 'har.json'), JSON.stringify(har(await wrong())))
    const { stdout } = await explain('', ['har.json'])
    const [, gateway = '', yours = '', mark = ''] = /URL\n(.*)\n(.*)\n(.*)\n/.exec(stdout) ?? []
    expect(gateway).toBe('  gateway  POST&https%3A%2F%2Fgate.example.co')
    expect(yours).toBe('  yours    POST&http%3A%2F%2Fgate.example.com')
    expect([gateway[mark.length - 1], yours[mark.length - 1]]).toEqual(['s', '%'])
  })
})

test('says that a right request is right', async () => {
  const { authorization } = await signed()
  const { code, stdout } = await explain(JSON.stringify(har(authorization)))
  expect(code).toBe(0)
  expect(stdout).toMatch(/^The signature is right\.\n/)
  expect(stdout).toContain('  - whether the nonce is new')
  expect(stdout).toContain(`of the oauth_timestamp, 2023-11-14T22:13:20Z\n`)
  expect(stdout).toContain('  - whether https://gate.example.com is its public address\n')
  const json = await explain(JSON.stringify(har(authorization)), ['--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({
    outcome: 'correct',
    notChecked: ['nonce', 'timestamp', 'url', 'login'],
  })
})

test('says that --gateway sends nothing if the signature is right', async () => {
  const { authorization } = await signed()
  const { code, stdout } = await explain(JSON.stringify(har(authorization)), ['--gateway'])
  expect(code).toBe(0)
  expect(stdout).toContain('--gateway: sent nothing.')
})

test('says that the request names another login than the one whose key signed it', async () => {
  const { authorization } = await signed()
  const env = { ...ENV, COUNTERFOIL_LOGIN: 'shop-2' }
  const { code, stdout } = await explain(JSON.stringify(har(authorization)), [], env)
  expect(code).toBe(3)
  expect(stdout).toMatch(/^Mistake: The request names the login shop, .* the key of shop-2\.\n/)
  const json = await explain(JSON.stringify(har(authorization)), ['--json'], env)
  expect(JSON.parse(json.stdout)).toMatchObject({ mistake: { code: 'login-other' } })
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

test('says that only a shell replaces the $(...) of the demo', async () => {
  const header = '"Authorization: $(t=$(date +%s); printf %s "OAuth oauth_timestamp=\\"$t\\"")"'
  for (const line of [header, '"Authorization: $header"'].map((one) => `curl a -H ${one}`)) {
    expect(await explain(line)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('run it after "set -x", and paste the line'),
    })
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

test('knows nothing of a foreign key, and advises to pass the base string', async () => {
  const input = JSON.stringify(har(await wrong()))
  const foreign = { COUNTERFOIL_LOGIN: 'shop', COUNTERFOIL_CONTROL_KEY: 'another-key' }
  const { code, stdout } = await explain(input, [], foreign)
  expect(code).toBe(1)
  expect(stdout).toMatch(/^No known mistake leads to this signature\.\n/)
  expect(stdout).toContain('--base-string FILE')
})

test('prints one line of JSON with --json', async () => {
  const { stdout } = await explain(JSON.stringify(har(await wrong())), ['--json'])
  expect(stdout.trim().split('\n')).toHaveLength(1)
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: 'mistake',
    mistake: { code: 'url-scheme' },
    difference: { at: 10, part: 'url' },
  })
})

// A search that begins again at each space would take hours.
test('reads a pasted header with a long row of spaces', async () => {
  const spaces = ' '.repeat(2 ** 21)
  const readBody = () => Promise.reject(new Error('it read a file'))
  const pasted = await readPasted(`-H 'Authorization: ${spaces}OAuth${spaces}a="b"'`, readBody)
  expect(pasted.authorization?.replace(spaces, ' ')).toBe('OAuth a="b"')
  await expect(readPasted(`'authorization:${spaces}x`, readBody)).rejects.toThrow('begins with')
})

test('--gateway sends no file that the pasted command line names', async () => {
  await writeFile(join(folder, 'secret'), 'a=1')
  const input = `curl http://127.0.0.1:9/a -H 'Authorization: ${await wrong()}' --data-binary @secret`
  const refused = await explain(input, ['--gateway'])
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('Name it yourself with --data FILE')
  const named = await explain(input, ['--gateway', '--data', 'secret'])
  expect(named.stderr).toContain('no answer from 127.0.0.1:9')
})

test.each<[string, string, readonly string[], string]>([
  ['a very long command line', `curl "${'a'.repeat(2 ** 20)}"`, [], 'pass the body apart'],
  ['another text', 'GET / HTTP/1.1', [], 'expected an Authorization header, a curl command line'],
  ['an open quote', `curl 'https://a`, [], 'has a quote that does not end'],
  [
    'an option without a value',
    'curl https://a -H',
    [],
    '-H of the curl command line has no value',
  ],
  ['an upload', 'curl -F a=b https://a', [], 'cannot read -F of a curl command line'],
  ['other JSON', '{"a":1}', [], 'expected an entry of a HAR file'],
  ['broken JSON', '{', [], 'expected JSON'],
  ['a missing file', 'OAuth a="b"', ['--data', 'absent'], '--data: cannot read the file: ENOENT'],
])('refuses %s', async (_, input, args, message) => {
  const { code, stderr, stdout } = await explain(input, [...args])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
})

test('needs the key of the login that the header names', async () => {
  const input = JSON.stringify(har(await wrong()))
  const { code, stderr } = await explain(input, [], {})
  expect(code).toBe(2)
  expect(stderr).toContain('missing the key of shop')
  const other = await explain(input, [], { ...ENV, COUNTERFOIL_LOGIN: 'other' })
  expect(other.stderr).toContain('missing the key of shop (your settings have that of other)')
})

test('--gateway sends nothing to a server that is not a sandbox', async () => {
  const { code, stderr } = await explain(JSON.stringify(har(await wrong())), [
    '--gateway',
    '--url',
    'http://127.0.0.1:9/a',
  ])
  expect(code).toBe(5)
  expect(stderr).toContain('counterfoil: --gateway: no answer from 127.0.0.1:9')
})

test('--gateway prints a network error that cannot control the terminal', async () => {
  const noNames = { dnsName: null }
  const made = await makeCertificate(folder, '\u001b[2Jgate', noNames)
  const { key, cert, certificateFile } = made
  const server = createServer({ key, cert }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const url = `https://localhost:${port}/a`
  const args = ['--gateway', '--url', url, '--ca', certificateFile]
  const { code, stderr } = await explain(JSON.stringify(har(await wrong())), args)
  server.close()
  expect(code).toBe(5)
  expect(stderr).toContain("cert's CN: \u{fffd}[2Jgate")
})

test('--gateway trusts no other certificate, even if the environment disables the check', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { key, cert } = await makeCertificate(folder, 'gate')
  const server = createServer({ key, cert }, (_, response) => response.end('{}'))
  const url = `https://127.0.0.1:${await listen(server)}/a`
  const { code, stderr } = await explain(JSON.stringify(har(await wrong())), [
    '--gateway',
    '--url',
    url,
  ])
  expect(code).toBe(5)
  expect(stderr).toContain('self-signed certificate')
})

test('--gateway says that the connection ended inside the answer', async () => {
  const server = createHttpServer((_, response) => {
    response.writeHead(200, { 'Content-Length': '100' })
    response.write('{"environment":', () => response.destroy())
  })
  const port = await listen(server)
  const args = ['--gateway', '--url', `http://127.0.0.1:${port}/a`]
  const { code, stderr } = await explain(JSON.stringify(har(await wrong())), args)
  expect(code).toBe(5)
  expect(stderr).toContain(`no answer from 127.0.0.1:${port}: the connection ended too early`)
})

async function listen(server: Server): Promise<number | undefined> {
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}

test('--gateway needs a URL', async () => {
  const input = JSON.stringify(har(await wrong()))
  const { code, stderr } = await explain(input, ['--gateway', '--url', 'gate.example.com'])
  expect(code).toBe(2)
  expect(stderr).toContain('expected the URL of the request as --url')
})

test('never prints the key', async () => {
  const { authorization } = await signed()
  for (const args of [[], ['--json']]) {
    for (const header of [authorization, await wrong()]) {
      const { stdout, stderr } = await explain(JSON.stringify(har(header)), args)
      expect(stdout + stderr).not.toContain(CONTROL_KEY)
    }
  }
})

test.each<[string, readonly string[] | undefined]>([
  ['a  b\tc', ['a', 'b', 'c']],
  [`a'b c'"d e"`, ['ab cd e']],
  ['a\\ b \\\n c', ['a b', 'c']],
  [`"a\\"b" '' $'\\x41\\n\\u042f\\''`, ['a"b', '', "A\nЯ'"]],
  ['a "b', undefined],
  ["$'a", undefined],
])('splits %j as a shell does', (line, words) => {
  expect(splitWords(line)).toEqual(words)
})
