// @module-tag long

import { expect, test } from 'vitest'
import { ask, LIST, read, send, signRequest } from '../kit/ask.ts'
import { gateway, sandbox, testAnswers } from './malformed.cases.ts'

// The long test sends more.
testAnswers(30)

test('takes bodies up to the limit, and refuses larger ones', async () => {
  const limit = 1024 * 1024
  for (const bytes of [0, 1, limit - 1, limit, limit + 1, 2 * limit]) {
    const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
    const answer = await read(await send({ ...request, body: Buffer.alloc(bytes, ' ') }))
    expect(answer.status).toBe(bytes > limit ? 413 : 400)
  }
})

test('takes headers up to 16 KiB, and refuses larger ones', async () => {
  const askFilled = async (bytes: number) => {
    const headers = { 'X-Filling': 'x'.repeat(bytes) }
    return (await ask(gateway, sandbox.logins.merchant, LIST, { headers })).status
  }
  expect(await askFilled(15 * 1024)).toBe(200)
  expect(await askFilled(17 * 1024)).toBe(431)
})
