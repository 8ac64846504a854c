import { expect, test } from 'vitest'
import { type Check, PLAIN_CHECK } from '../src/conformance/check.ts'
import { CONFORMANCE_LIMITS, runChecks } from '../src/conformance/run-checks.ts'
import { CONTROL_KEY, LOGIN, startOtherGateway } from './other-gateway.ts'

const TEXTS = { title: 'answers', clause: '', level: 'must', sent: 'x', change: {} } as const

/** Runs checks of a gateway, and ends them with a signal of their own. */
async function run(checks: readonly Check[], timeout: AbortSignal) {
  const secret = { method: 'HMAC-SHA1', controlKey: CONTROL_KEY } as const
  const report = { reportIdentifier: 'list' }
  const { signal } = new AbortController()
  const settings = { endpoint: await startOtherGateway(), apiUrl: undefined, login: LOGIN, secret }
  const subjects = [{ name: 'One', checks }]
  return await runChecks(subjects, { ...settings, report }, { signal, timeout, nowMs: () => 0 })
}

const NEXT: Check = { ...TEXTS, id: 'next', judge: () => ({ skip: 'it did run' }) }

test('ends after the limit of requests', async () => {
  const greedy: Check = {
    ...TEXTS,
    id: 'greedy',
    judge: async (_, { gateway }) => {
      for (;;) await gateway.ask({})
    },
  }
  const { checks, endedBy, requests } = await run([greedy, NEXT], new AbortController().signal)
  expect(endedBy).toBe(`the limit of ${CONFORMANCE_LIMITS.requestsMax} requests is reached`)
  expect(requests).toBe(CONFORMANCE_LIMITS.requestsMax)
  expect(checks).toMatchObject([
    { id: 'greedy', outcome: 'skipped', reason: endedBy },
    { id: 'next', outcome: 'skipped', reason: endedBy },
  ])
})

test('ends after its time', async () => {
  const timeout = new AbortController()
  const slow: Check = {
    ...TEXTS,
    id: PLAIN_CHECK,
    judge: async (_, { gateway }) => {
      timeout.abort()
      await gateway.ask({})
      return { skip: 'it did run' }
    },
  }
  const { checks, endedBy } = await run([slow, NEXT], timeout.signal)
  expect(endedBy).toBe('the 15 minutes for all checks are over')
  expect(checks.map(({ reason }) => reason)).toEqual([endedBy, endedBy])
})

test('does not hide a failure of its own', async () => {
  const broken: Check = { ...TEXTS, id: 'broken', judge: () => Promise.reject(new Error('broken')) }
  await expect(run([broken], new AbortController().signal)).rejects.toThrow('broken')
})
