// @module-tag long

// The client with damaged replies of a real gateway: a proxy changes them, or they end too early. The long tests try
// every fault with every ending, and cut a reply at every byte.

import { describe, expect, test } from 'vitest'
import { captureReply, cutAtEach, FEW_ROWS, TRANSPORTS } from '../kit/cut-replies.ts'
import {
  describeProxy,
  ENDINGS,
  FAULTS,
  gateway,
  sandbox,
  testHonestProxy,
} from './faulty-proxy.cases.ts'

for (const [index, ending] of ENDINGS.entries()) {
  describeProxy(
    ending,
    FAULTS.filter((_, at) => at % ENDINGS.length === index),
  )
}

testHonestProxy()

describe.each(TRANSPORTS)('over %s', (_, options) => {
  test('fails for a reply that is cut, and leaves no file', async () => {
    const reply = await captureReply(gateway, sandbox.logins.merchant, FEW_ROWS)
    expect(reply.toString('latin1')).toMatch(
      /^HTTP\/1\.1 200 [^]*\r\n0\r\nRepr-Digest: [^]*\r\n\r\n$/i,
    )
    const offsets = Array.from(reply.keys()).filter((offset) => offset % 61 === 0)
    expect(offsets.length).toBeGreaterThan(15)
    const { codes, passed, files } = await cutAtEach(reply, offsets, options)
    expect({ passed, files }).toEqual({ passed: [], files: [] })
    expect([...codes].toSorted()).toEqual(['network-error', 'truncated'])
  })
})
