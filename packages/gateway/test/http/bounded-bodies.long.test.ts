// @module-tag long

// Reports that wait in the queue with large bodies. The short test holds large bodies without a report.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.ts'
import { ask, LIST, open, parameters } from '../kit/ask.ts'
import { serve } from '../kit/running-gateway.ts'
import { makeSandbox } from '../kit/sandbox.ts'

const MIB = 1024 * 1024

test('frees the memory of a body before its report waits for a place', async () => {
  const sandbox = await makeSandbox(1000)
  const narrow = await serve(sandbox, {
    engine: { sessions: 1, queueLength: 200, queueWaitSeconds: 300 },
  })
  const { operator } = sandbox.logins
  const day = { ...LIST, ...parameters({ dateFrom: '2026-10-01', dateTo: '2026-10-02' }) }
  const large = JSON.stringify(day).padEnd(MIB - 100)
  const wide = { reportIdentifier: 'wide-rows', ...parameters({ width: '100000' }) }
  const running = await open(narrow, operator, wide)
  // Each request has its own login, because a login reads one large body at a time.
  const logins = await Promise.all(
    Array.from({ length: (2 * LIMITS.bodiesBytesMax) / MIB }, (_, index) => {
      return sandbox.addLogin(`large-${index}`, 'merchant', [1])
    }),
  )
  const waiting = logins.map((login) => ask(narrow, login, large))
  await sleep(3_000)
  running.destroy()
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  await narrow.close()
  sandbox.remove()
})
