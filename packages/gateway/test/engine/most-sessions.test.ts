// @module-tag long

import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, LIST } from '../kit/ask.ts'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

const ROWS = 80_000

let sandbox: Sandbox
let gateway: ChildGateway
beforeAll(async () => {
  sandbox = await makeSandbox(ROWS)
  gateway = await serveInChild(sandbox, { engine: { sessions: 24, queueLength: 0 } })
})
afterAll(async () => {
  gateway.kill('SIGTERM')
  await gateway.ended
  sandbox.remove()
})

test('the largest number of sessions runs as many reports at once', async () => {
  // Several logins, because one login may not have more than half, nor the last quarter beside its own large report.
  const logins = await Promise.all(
    Array.from({ length: 24 }, (_, index) => sandbox.addLogin(`all-${index}`, 'operator', [])),
  )
  const answers = await Promise.all(logins.map((login) => ask(gateway, login, LIST)))
  for (const { trailers } of answers) expect(trailers['counterfoil-rows']).toBe(String(ROWS))
})
