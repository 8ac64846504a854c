import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIST, read, send, type SignedRequest, signRequest } from './ask.ts'
import { bytesOf, connectRaw } from './raw-connection.ts'
import type { RunningGateway } from './running-gateway.ts'

const FORM = 'application/x-www-form-urlencoded'
const REFUSED = /^You are not authorised/

/** A place in a text, and how much to change the character there. */
const change = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 93 }) })
type Change = { readonly at: number; readonly by: number }

/** Changes one visible character to another. */
function changed(text: string, { at, by }: Change): string {
  const index = at % text.length
  const code = 33 + ((text.charCodeAt(index) - 33 + by) % 94)
  return text.slice(0, index) + String.fromCharCode(code) + text.slice(index + 1)
}

/** Sends raw bytes, to another path if `path` is set. A client library would normalise a changed path. */
export async function sendRaw(
  port: number,
  request: SignedRequest,
  path?: string,
): Promise<string> {
  const connection = await connectRaw(port)
  const headers = { ...request.headers, Connection: 'close' }
  const bytes = bytesOf({ ...request, headers }).toString()
  const { pathname } = new URL(request.url)
  connection.write(path === undefined ? bytes : bytes.replace(pathname, () => path))
  return (await connection.received).toString()
}

/**
 * Tests that a gateway refuses a signed request of which one character was changed.
 *
 * @param numRuns how many changes of each part to try
 */
export function testChangedBytes(gateway: RunningGateway, numRuns: number): void {
  const { sandbox } = gateway

  async function hold(property: (change: Change) => Promise<void>): Promise<void> {
    await fc.assert(fc.asyncProperty(change, property), { numRuns })
  }

  async function signed(options: Parameters<typeof signRequest>[3]) {
    return await signRequest(gateway, sandbox.logins.merchant, LIST, options)
  }

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
      const answer = await sendRaw(gateway.port, request, `/${changed(pathname.slice(1), where)}`)
      expect(answer).not.toContain('text/csv')
      expect(answer).toMatch(/^HTTP\/1\.1 (404|405|200|400) /)
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
}
