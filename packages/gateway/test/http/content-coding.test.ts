import { createHash } from 'node:crypto'
import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { ask, LIST, problemIn, signRequest } from '../kit/ask.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([6000])
const { operator } = sandbox.logins

const DECOMPRESS = {
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  ...('zstdDecompressSync' in zlib && { zstd: zlib.zstdDecompressSync }),
}

test.each(Object.entries(DECOMPRESS))(
  'sends a report in %s, whose digest is that of the sent bytes (RFC 9530)',
  async (coding, decompress) => {
    const plain = await ask(gateway, operator)
    const headers = { 'Accept-Encoding': coding }
    const answer = await ask(gateway, operator, LIST, { headers })
    expect(answer.headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' })
    expect(decompress(answer.bytes).equals(plain.bytes)).toBe(true)
    expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 3)
    const digest = createHash('sha256').update(answer.bytes).digest('base64')
    expect(answer.trailers).toEqual({
      ...plain.trailers,
      'repr-digest': `sha-256=:${digest}:`,
    })
    const sent = gateway.lines().at(-1)
    expect(sent).toMatchObject({ outcome: 'report', bytes: answer.bytes.length })
  },
)

test('sends a report without a coding to a caller that names none', async () => {
  const answer = await ask(gateway, operator)
  expect(answer.headers).not.toHaveProperty('content-encoding')
  expect(answer.headers['vary']).toBe('Accept-Encoding')
})

test('fetch, which asks for compression by itself, reads the same file', async () => {
  const { url, headers, body } = await signRequest(gateway, operator, LIST)
  const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })
  expect(answer.headers.get('content-encoding')).not.toBeNull()
  expect(Buffer.from(await answer.arrayBuffer()).equals((await ask(gateway, operator)).bytes)).toBe(
    true,
  )
})

test('compresses nothing for a caller that forbids transformations', async () => {
  const headers = { 'Accept-Encoding': 'gzip', 'Cache-Control': 'no-transform' }
  const answer = await ask(gateway, operator, LIST, { headers })
  expect(answer.headers).not.toHaveProperty('content-encoding')
  expect(answer.bytes.equals((await ask(gateway, operator)).bytes)).toBe(true)
})

test('refuses a request that accepts no coding of the gateway', async () => {
  const headers = { 'Accept-Encoding': 'identity;q=0, compress' }
  const answer = await ask(gateway, operator, LIST, { headers })
  expect(answer.status).toBe(406)
  expect(problemIn(answer).code).toBe('not-acceptable')
})
