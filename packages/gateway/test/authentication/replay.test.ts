import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { LIST, read, send, signRequest } from '../kit/ask.ts'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { expectNoSecret, serve } from '../kit/running-gateway.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

let sandbox: Sandbox
const children: ChildGateway[] = []
beforeAll(async () => {
  sandbox = await makeSandbox(1000)
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    await child.ended
    expectNoSecret(child.stdout(), sandbox)
  }
})
afterAll(() => sandbox.remove())

async function start(change = {}): Promise<ChildGateway> {
  const child = await serveInChild(sandbox, change)
  children.push(child)
  return child
}

test.each(['hmac', 'rsa'] as const)('accepts a request once: %s', async (key) => {
  const gateway = await serve(sandbox)
  const request = await signRequest(gateway, sandbox.logins.merchant, LIST, { key })
  expect((await read(await send(request))).trailers).toHaveProperty('repr-digest')
  for (let times = 0; times < 3; times += 1) {
    const again = await read(await send(request))
    expect(again.status).toBe(200)
    expect(again.text).toContain('Step that failed: nonce\n')
  }
  await gateway.close()
})

test('accepts one of many equal requests that arrive at once', async () => {
  const gateway = await serve(sandbox)
  const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
  const answers = await Promise.all(
    Array.from({ length: 12 }, async () => await read(await send(request))),
  )
  const kinds = answers.map(({ headers }) => headers['content-type'])
  expect(kinds.filter((kind) => kind === 'text/csv; charset=UTF-8')).toHaveLength(1)
  expect(kinds.filter((kind) => kind === 'text/plain; charset=utf-8')).toHaveLength(11)
  await gateway.close()
})

test('accepts a request once, also after kill -9 and a restart', async () => {
  const first = await start()
  const request = await signRequest(first, sandbox.logins.merchant, LIST)
  const answer = await send(request)
  first.kill('SIGKILL')
  expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' })
  expect(answer.headers['content-type']).toBe('text/csv; charset=UTF-8')
  answer.destroy()

  const { origin, port } = new URL(first.reportUrl)
  const listen = { host: '127.0.0.1', port: Number(port) }
  const second = await start({ publicUrl: origin, listen })
  const replayed = await read(await send(request))
  expect(replayed.text).toContain('Step that failed: nonce\n')
  const fresh = await signRequest(second, sandbox.logins.merchant, LIST)
  expect((await read(await send(fresh))).trailers).toHaveProperty('repr-digest')
})

test('accepts a request once on two gateways with one store', async () => {
  const gateway = await serve(sandbox)
  const other = await serve(sandbox, { publicUrl: new URL(gateway.reportUrl).origin })
  const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
  const url = request.url.replace(String(gateway.port), String(other.port))
  expect((await read(await send(request))).trailers).toHaveProperty('repr-digest')
  expect((await read(await send({ ...request, url }))).text).toContain('Step that failed: nonce\n')
  await other.close()
  await gateway.close()
})
