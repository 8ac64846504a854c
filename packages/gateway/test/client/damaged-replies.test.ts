// @module-tag long

// The client with replies of a real gateway that end too early.

import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { captureReply, cutAtEach, FEW_ROWS, TRANSPORTS } from './cut-replies.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { LIST } from '../kit/ask.ts'

const { sandbox, gateway } = await serveSandbox([1000])

const large = await serveSandbox([80_000])

test.each(TRANSPORTS)(
  'fails over %s for a reply that is cut at any byte, and leaves no file',
  async (_, options) => {
    const reply = await captureReply(gateway, sandbox.logins.merchant, FEW_ROWS)
    const offsets = Array.from(reply.keys())
    expect(offsets.length).toBeGreaterThan(1_000)
    const { codes, passed, files } = await cutAtEach(reply, offsets, options)
    expect({ passed, files }).toEqual({ passed: [], files: [] })
    expect([...codes].toSorted()).toEqual(['network-error', 'truncated'])
  },
)

// Over `fetch` this test would end the process: the `fetch` of Node 24 throws an assertion outside of any promise if a
// connection ends while its parser waits for the reader.
test('fails for a large reply that is cut at 200 random bytes, and leaves no file', async () => {
  const reply = await captureReply(large.gateway, large.sandbox.logins.operator, LIST)
  expect(reply.length).toBeGreaterThan(5_000_000)
  const offsets = Array.from({ length: 200 }, () => randomInt(reply.length))
  const { codes, passed, files } = await cutAtEach(reply, offsets, {})
  expect({ passed, files }).toEqual({ passed: [], files: [] })
  expect(codes).toContain('truncated')
})
