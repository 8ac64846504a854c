import { setTimeout } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { FairQueue } from '../../../common/src/fair-queue.ts'
import type { ReceivedRequest } from '../outcome/outcome.ts'
import type { RunStore } from '../../../store/src/store/run-store.ts'
import { handleRuns, type RunsDependencies } from './handle-runs.ts'

const REQUEST: ReceivedRequest = {
  requestId: 'id',
  method: 'GET',
  target: '/runs?limit=1000',
  authorization: undefined,
  contentType: undefined,
  body: new Uint8Array(),
  note: () => {},
}

/** Returns dependencies that take the login from the header `Accept`. */
function dependenciesWith(list: RunStore['list']): RunsDependencies {
  return {
    identify: async ({ accept: name = '' }) => {
      const login = { name, role: 'merchant', sees: ['1'], bodyHashRequired: false } as const
      return { kind: 'identity', login: { ...login, createdAt: new Date(), keys: [] } }
    },
    runs: { find: async () => undefined, list },
    recorder: { recorded: async () => {} },
    manifestKeys: { jwks: async () => ({ keys: [] }), sign: async () => '' },
    threadQueue: new FairQueue({
      places: 2,
      perLogin: 1,
      waitingMax: 16,
      waitMs: 60_000,
      busy: { code: 'gateway-busy', message: '' },
    }),
  }
}

const { signal } = new AbortController()
const EMPTY = { runs: [], hasMore: false }

test('reads no runs for a caller that has left while it waited', async () => {
  const list = vi.fn<RunStore['list']>(async () => EMPTY)
  const leaving = new AbortController()
  const request = { ...REQUEST, accept: 'shop' }
  const asked = handleRuns(dependenciesWith(list), request, leaving.signal)
  leaving.abort()
  await expect(asked).rejects.toBe(leaving.signal.reason)
  expect(list).not.toHaveBeenCalled()
})

test('reads one list of a login at a time, and lets others read meanwhile', async () => {
  let [reading, most] = [0, 0]
  const dependencies = dependenciesWith(async ({ login }) => {
    if (login === 'other') return EMPTY
    most = Math.max(most, (reading += 1))
    await setTimeout(5)
    reading -= 1
    throw new Error('a list that fails lets the next one begin')
  })
  const ask = (accept: string) => handleRuns(dependencies, { ...REQUEST, accept }, signal)
  const asked = Array.from({ length: 5 }, () => ask('hostile'))
  expect(await ask('other')).toMatchObject({ kind: 'reply' })
  await Promise.all(asked)
  expect(most).toBe(1)
})

test('a fault repeats no name that holds a card number', async () => {
  const request = { ...REQUEST, target: '/runs?4111111111111111=1' }
  const outcome = await handleRuns(
    dependenciesWith(async () => EMPTY),
    request,
    signal,
  )
  expect(outcome).toMatchObject({ kind: 'problem', error: { faults: [{ pointer: '/[masked]' }] } })
})
