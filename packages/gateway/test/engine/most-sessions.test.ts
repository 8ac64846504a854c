// @module-tag long

import { afterAll, expect, test } from 'vitest'
import { ask, LIST } from '../kit/ask.ts'
import { serveInChild } from '../kit/child-gateway.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

const ROWS = 80_000

const sandbox = await useSandbox(ROWS)
const gateway = await serveInChild(sandbox, { engine: { sessions: 24, queueLength: 0 } })
afterAll(async () => {
  gateway.kill('SIGTERM')
  await gateway.ended
})

test('the largest number of sessions runs as many reports at once', async () => {
  // Several logins, because one login may not have more than half, nor the last quarter beside its own large report.
  const logins = await Promise.all(
    Array.from({ length: 24 }, (_, index) => sandbox.addLogin(`all-${index}`, 'operator', [])),
  )
  const answers = await Promise.all(logins.map((login) => ask(gateway, login, LIST)))
  for (const { trailers } of answers) expect(trailers['counterfoil-rows']).toBe(String(ROWS))
})
