import { expect, test } from 'vitest'
import { LIST, read, send, signRequest } from '../kit/ask.ts'
import { serve } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([1000])

test.each(['hmac', 'rsa'] as const)('accepts a request once: %s', async (key) => {
  const request = await signRequest(gateway, sandbox.logins.merchant, LIST, { key })
  expect((await read(await send(request))).trailers).toHaveProperty('repr-digest')
  for (let times = 0; times < 3; times += 1) {
    const again = await read(await send(request))
    expect(again.status).toBe(200)
    expect(again.text).toContain('Step that failed: nonce\n')
  }
})

test('accepts one of many equal requests that arrive at once', async () => {
  const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
  const answers = await Promise.all(
    Array.from({ length: 12 }, async () => await read(await send(request))),
  )
  const kinds = answers.map(({ headers }) => headers['content-type'])
  expect(kinds.filter((kind) => kind === 'text/csv; charset=UTF-8')).toHaveLength(1)
  expect(kinds.filter((kind) => kind === 'text/plain; charset=utf-8')).toHaveLength(11)
})

test('accepts a request once on two gateways with one store', async () => {
  const other = await serve(sandbox, { publicUrl: new URL(gateway.reportUrl).origin })
  const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
  const url = request.url.replace(String(gateway.port), String(other.port))
  expect((await read(await send(request))).trailers).toHaveProperty('repr-digest')
  expect((await read(await send({ ...request, url }))).text).toContain('Step that failed: nonce\n')
  await other.close()
})
