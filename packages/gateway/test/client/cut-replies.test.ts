// The client with a real gateway's reply that ends too early, at every byte.

import { describe, expect, test } from 'vitest'
import { parameters } from '../kit/ask.ts'
import { captureReply, cutAtEach, TRANSPORTS } from '../kit/cut-replies.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox()

const FEW_ROWS = {
  reportIdentifier: 'transactions-list',
  configurationReportParameters: parameters({ totals: 'only' }).inputReportParameters,
}

describe.each(TRANSPORTS)('over %s', (_, options) => {
  test('fails for a reply that is cut at any byte, and leaves no file', async () => {
    const reply = await captureReply(gateway, sandbox.logins.merchant, FEW_ROWS)
    expect(reply.toString('latin1')).toMatch(
      /^HTTP\/1\.1 200 [^]*\r\n0\r\nRepr-Digest: [^]*\r\n\r\n$/i,
    )
    const offsets = Array.from(reply.keys())
    expect(offsets.length).toBeGreaterThan(1_000)
    const { codes, passed, files } = await cutAtEach(reply, offsets, options)
    expect({ passed, files }).toEqual({ passed: [], files: [] })
    expect([...codes].toSorted()).toEqual(['network-error', 'truncated'])
  })
})
