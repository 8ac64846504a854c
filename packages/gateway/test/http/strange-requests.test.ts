import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { LIST, type SignedRequest, signRequest } from '../kit/ask.ts'
import { bytesOf, connectRaw } from '../kit/raw-connection.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([1000])

/** Signs an ordinary request, changes its bytes, sends them, and returns the response as text. */
async function exchange(
  change: (bytes: string) => string,
  request?: SignedRequest,
): Promise<string> {
  const headers = { Connection: 'close' }
  const signed = request ?? (await signRequest(gateway, sandbox.logins.merchant, LIST, { headers }))
  const connection = await connectRaw(gateway.port)
  connection.write(change(bytesOf(signed).toString()))
  return (await connection.received).toString()
}

const path = () => new URL(gateway.reportUrl).pathname

/** Returns a function that replaces the target of the request line. */
function withTarget(target: string): (bytes: string) => string {
  return (bytes) => bytes.replace(`POST ${path()} `, () => `POST ${target} `)
}

describe('a request target in absolute form', () => {
  test('with the public host is served', async () => {
    const host = `127.0.0.1:${gateway.port}`
    for (const origin of [`http://${host}`, `HTTP://${host}`, `https://${host}`]) {
      const answer = await exchange(withTarget(`${origin}${path()}`))
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(answer).toContain('\r\nCounterfoil-Rows: ')
    }
  })

  test.each([
    'http://evil.example/',
    'http://evil.example:80/',
    'http://user:SECRET@HOST/',
    'http://127.0.0.1/',
    'http://HOST@evil.example/',
  ])('with another host is refused: %s', async (target) => {
    const host = `127.0.0.1:${gateway.port}`
    const answer = await exchange(withTarget(target.replace('HOST', host).replace(/\/$/, path())))
    expect(answer).toMatch(/^HTTP\/1\.1 421 /)
    expect(answer).toContain('"code":"misdirected-request"')
    expect(gateway.log()).not.toContain('SECRET')
  })

  test.each(['http://HOST.evil.example/', 'ftp://HOST/', 'http:///', 'mailto:x'])(
    'that is not a web address of the gateway is refused: %s',
    async (target) => {
      const host = `127.0.0.1:${gateway.port}`
      const answer = await exchange(withTarget(target.replace('HOST', host).replace(/\/$/, path())))
      expect(answer).toMatch(/^HTTP\/1\.1 (400|404|421) /)
    },
  )

  test('without a path means the root, which leads to the console', async () => {
    const answer = await exchange(withTarget(`http://127.0.0.1:${gateway.port}`))
    expect(answer).toMatch(/^HTTP\/1\.1 405 /)
  })

  test('has its query in the base string', async () => {
    const answer = await exchange(withTarget(`http://127.0.0.1:${gateway.port}${path()}?a=1`))
    expect(answer).toContain('Step that failed: signature\n')
  })
})

test.each<[string, string, (bytes: string) => string]>([
  ['HTTP/2.0 in the request line', '505', (bytes) => bytes.replace('HTTP/1.1', 'HTTP/2.0')],
  ['HTTP/1.0 in the request line', '505', (bytes) => bytes.replace('HTTP/1.1', 'HTTP/1.0')],
  ['two Host headers', '400', (bytes) => bytes.replace('Host: ', 'Host: other\r\nHost: ')],
  [
    'two Host headers and many between them',
    '400',
    (bytes) => bytes.replace('Host: ', `Host: other\r\n${'a:\r\n'.repeat(3000)}Host: `),
  ],
  ['an empty Host', '400', (bytes) => bytes.replace(/Host: .*\r\n/, 'Host:\r\n')],
  ['no Host', '400', (bytes) => bytes.replace(/Host: .*\r\n/, '')],
  [
    'two Content-Type headers',
    '400',
    (bytes) => bytes.replace('Content-Type: ', 'Content-Type: text/plain\r\nContent-Type: '),
  ],
  [
    'two codings',
    '501',
    (bytes) => {
      const [head = '', body = ''] = bytes.split('\r\n\r\n')
      const coded = head.replace(/Content-Length: .*/, 'Transfer-Encoding: gzip, chunked')
      return `${coded}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    },
  ],
  ['a path in another percent-encoding', '404', (bytes) => bytes.replace('/rpt', '/%72pt')],
])('refuses %s with %s, and does not spend the nonce', async (_, status, change) => {
  const headers = { Connection: 'close' }
  const request = await signRequest(gateway, sandbox.logins.merchant, LIST, { headers })
  expect(await exchange(change, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(await exchange((bytes) => bytes, request)).toContain('\r\nCounterfoil-Rows: ')
})

describe('on one connection', () => {
  /** Writes bytes at once. Returns the answers. */
  async function answers(bytes: Uint8Array): Promise<string> {
    const connection = await connectRaw(gateway.port)
    connection.write(bytes)
    return (await connection.received).toString('latin1')
  }
  const linesSince = (before: number) => gateway.lines().length - before
  const sign = async () => bytesOf(await signRequest(gateway, sandbox.logins.merchant, LIST))

  test('the gateway answers four requests at once in order', async () => {
    const requests = await Promise.all(Array.from({ length: LIMITS.pipelinedRequestsMax }, sign))
    const text = await answers(Buffer.concat([...requests.slice(1), closing(requests[0])]))
    const { length } = requests
    expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(Array.from({ length }, () => 'HTTP/1.1 200'))
  })

  test('the gateway ends a connection with too many requests at once, with little work', async () => {
    const nothing = Buffer.from('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n')
    const lines = gateway.lines().length
    const before = process.cpuUsage()
    await answers(Buffer.concat([await sign(), ...Array.from({ length: 50_000 }, () => nothing)]))
    const { user, system } = process.cpuUsage(before)
    expect(linesSince(lines)).toBeLessThanOrEqual(LIMITS.pipelinedRequestsMax)
    expect((user + system) / 1e6).toBeLessThan(1)
  })

  test('the gateway never answers garbage after a request in place of the request', async () => {
    const broken =
      'POST /nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n'
    const before = gateway.lines().length
    const garbage = ['x', '\r\n\0', 'GET nonsense\r\n\r\n', broken]
    for (const after of garbage) {
      const text = await answers(Buffer.concat([await sign(), Buffer.from(after)]))
      expect(text).not.toMatch(/^HTTP\/1\.1 4/)
    }
    expect(linesSince(before)).toBeLessThanOrEqual(2 * garbage.length)
  })
})

/** Adds `Connection: close` to a request. */
function closing(request: Uint8Array | undefined): Buffer {
  const text = Buffer.from(request ?? []).toString('latin1')
  return Buffer.from(text.replace('\r\n', '\r\nConnection: close\r\n'), 'latin1')
}

test.each(['//user:SECRET@h/livez', '/http://user:SECRET@h/x'])(
  'logs no password of the target %s',
  async (target) => {
    await exchange((bytes) => bytes.replace(/POST \S+/, `GET ${target}`))
    expect(gateway.log()).not.toContain('SECRET')
  },
)
