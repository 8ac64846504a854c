// @module-tag long

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { LIST, read, send, signRequest } from '../kit/ask.ts'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { expectNoSecret } from '../kit/running-gateway.ts'
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
