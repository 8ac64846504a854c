import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIST, read, send, type SignedRequest, signRequest } from '../kit/ask.ts'
import { bytesOf, connectRaw } from '../kit/raw-connection.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const FORM = 'application/x-www-form-urlencoded'
const REFUSED = /^You are not authorised/

const { sandbox, gateway } = await serveSandbox([1000], {}, 'silent')

/** A place in a text, and how much to change the character there. */
const change = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 93 }) })
type Change = { readonly at: number; readonly by: number }

/** Changes one visible character to another. */
function changed(text: string, { at, by }: Change): string {
  const index = at % text.length
  const code = 33 + ((text.charCodeAt(index) - 33 + by) % 94)
  return text.slice(0, index) + String.fromCharCode(code) + text.slice(index + 1)
}

async function signed(options: Parameters<typeof signRequest>[3], body: object | string = LIST) {
  return await signRequest(gateway, sandbox.logins.merchant, body, options)
}

/** Sends raw bytes, to another path if `path` is set. A client library would normalise a changed path. */
async function sendRaw(request: SignedRequest, path?: string): Promise<string> {
  const connection = await connectRaw(gateway.port)
  const headers = { ...request.headers, Connection: 'close' }
  const bytes = bytesOf({ ...request, headers }).toString()
  const { pathname } = new URL(request.url)
  connection.write(path === undefined ? bytes : bytes.replace(pathname, () => path))
  return (await connection.received).toString()
}

async function hold(property: (change: Change) => Promise<void>, numRuns = 100): Promise<void> {
  await fc.assert(fc.asyncProperty(change, property), { numRuns })
}

test('accepts unchanged requests', async () => {
  const key = 'rsa'
  const query = '?a=1&b=%20x'
  expect((await read(await send(await signed({ key, query })))).trailers).toHaveProperty(
    'repr-digest',
  )
  const signing = { bodyHash: 'SHA-256' } as const
  expect((await read(await send(await signed({ signing })))).trailers).toHaveProperty('repr-digest')
  const form = await read(await send(await signed({ contentType: FORM }, 'a=1&b=2')))
  expect(form.status).toBe(415)
})

test.each(['hmac', 'rsa'] as const)('refuses a changed byte of the header: %s', async (key) => {
  await hold(async (where) => {
    const request = await signed({ key })
    const { Authorization = '' } = request.headers
    const tampered = changed(Authorization, where)
    // The gateway accepts the scheme in any case (RFC 9110, 11.1).
    fc.pre(tampered.toLowerCase() !== Authorization.toLowerCase())
    const headers = { ...request.headers, Authorization: tampered }
    expect((await read(await send({ ...request, headers }))).text).toMatch(REFUSED)
  })
})

test('refuses a changed byte of the query', async () => {
  await hold(async (where) => {
    const request = await signed({ query: '?amount=10.00&name=a%20b' })
    const [path = '', query = ''] = request.url.split('?')
    const tampered = changed(query, where)
    fc.pre(!/[#\\^`{|}<>"]/.test(tampered))
    const answer = await read(await send({ ...request, url: `${path}?${tampered}` }))
    expect(answer.text).toMatch(REFUSED)
  })
})

test('sends no report for a changed byte of the path', async () => {
  await hold(async (where) => {
    const request = await signed({})
    const { pathname } = new URL(request.url)
    const answer = await sendRaw(request, `/${changed(pathname.slice(1), where)}`)
    expect(answer).not.toContain('text/csv')
    expect(answer).toMatch(/^HTTP\/1\.1 (404|200|400) /)
  })
})

test('refuses a changed byte of a form', async () => {
  await hold(async (where) => {
    const form = 'client-order-id=1&amount=10.42&order_desc=a%20b'
    const reportUrl = new URL('/gate/api/v4/transfer/1', gateway.reportUrl).href
    const asked = { ...gateway, reportUrl }
    const options = { contentType: FORM }
    const request = await signRequest(asked, sandbox.logins.merchant, form, options)
    const answer = await read(await send({ ...request, body: Buffer.from(changed(form, where)) }))
    expect(answer.text).toMatch(REFUSED)
  })
})

test('refuses a changed byte of a body whose hash is signed', async () => {
  await hold(async (where) => {
    const bodyHash = where.by % 2 === 0 ? 'SHA-1' : 'SHA-256'
    const request = await signed({ signing: { bodyHash } })
    const body = Buffer.from(changed(JSON.stringify(LIST), where))
    const answer = await read(await send({ ...request, body }))
    expect(answer.text).toContain('Step that failed: body-hash\n')
  })
})

test('refuses another method, a second Authorization and a repeated parameter', async () => {
  const request = await signed({})
  const { Authorization = '' } = request.headers
  const twice = `${Authorization}, oauth_nonce="another-nonce"`
  const headers = { ...request.headers, Authorization: twice }
  expect(await sendRaw({ ...request, headers })).toContain('Step that failed: header\n')
  const second = { ...request.headers, authorization: Authorization }
  expect(await sendRaw({ ...request, headers: second })).toContain(
    'Step that failed: header\nReason: expected one Authorization header, got two\n',
  )
  expect(await sendRaw({ ...request, method: 'PUT' })).toMatch(/^HTTP\/1\.1 405 /)
})
