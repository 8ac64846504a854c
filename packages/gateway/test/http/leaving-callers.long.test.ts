// @module-tag long

// Readers who leave at many moments, and during an aggregation. The short test leaves a sort, and at two moments.

import { expect, test } from 'vitest'
import { ask } from '../kit/ask.ts'
import { serve, untilRunning } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import {
  ENDED_MS,
  LONG_AGGREGATION,
  LONG_SORT,
  expectUnmixedAfter,
  leaveBeforeFirstByte,
  WIDE,
} from './leaving-callers.cases.ts'

const { sandbox, gateway } = await serveSandbox()

test('frees the engine when a reader leaves before the first byte of a long aggregation', async () => {
  expect(await leaveBeforeFirstByte(gateway, LONG_AGGREGATION)).toBeLessThan(ENDED_MS)
})

test('mixes nothing into the next report of a gateway with one session, whenever a reader leaves', async () => {
  const narrow = await serve(sandbox, { engine: { sessions: 1 } })
  const complete = await ask(narrow, sandbox.logins.merchant)
  for (let delayMs = 0; delayMs < 120; delayMs += 6) {
    await expectUnmixedAfter(narrow, delayMs % 4 === 0 ? LONG_SORT : WIDE, delayMs, complete)
  }
  expect(await untilRunning(gateway.engine, 0)).toBeLessThan(ENDED_MS)
  await narrow.close()
})
