// The client with a real gateway's reply that ends too early. The long tests cut it at every byte.

import { describe, expect, test } from 'vitest'
import { captureReply, cutAtEach, FEW_ROWS, TRANSPORTS } from '../kit/cut-replies.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox()

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
