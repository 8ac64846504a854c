// @module-tag long

// The client with damaged replies of a real gateway: a proxy changes them, or they end too early.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { randomInt } from 'node:crypto'
import { CounterfoilClient } from '@counterfoil/client'
import { describe, expect, test } from 'vitest'
import { captureReply, cutAtEach, FEW_ROWS, TRANSPORTS } from './cut-replies.ts'
import { type Ending, type Fault, startFaultyProxy } from './faulty-proxy.ts'
import { freePort } from '../kit/free-port.ts'
import { USUAL_ROWS } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { LIST } from '../kit/ask.ts'

const proxyPort = await freePort()
const { sandbox, gateway } = await serveSandbox([], {
  publicUrl: `http://127.0.0.1:${proxyPort}`,
})

const large = await serveSandbox([80_000])

const { login, controlKey } = sandbox.logins.operator
const endpoint = gateway.reportUrl
const merchant = { endpoint, login, controlKey, retries: 0 }
// Fewer bytes of the same rows.
const OPTIONS = { columns: ['Transaction_id', 'Amount'] }

async function loopOver(own: CounterfoilClient): Promise<void> {
  for await (const _ of own.rows('transactions-list', OPTIONS));
}

const FAULTS: readonly (readonly [string, Fault])[] = [
  ['drops the last chunk', (chunks) => chunks.slice(0, -1)],
  ['drops the last row', (chunks) => [Buffer.concat(chunks).subarray(0, lastRowIn(chunks))]],
  ['drops everything', () => []],
  ['sends a chunk twice', ([first = Buffer.of(), ...rest]) => [first, first, ...rest]],
  ['changes a byte', (chunks) => chunks.map((chunk, index) => (index === 1 ? flip(chunk) : chunk))],
  ['swaps two chunks', ([one, two, ...rest]) => [two, one, ...rest].filter((chunk) => !!chunk)],
]

/** How the proxy may end a reply. */
const ENDINGS: readonly Ending[] = ['trailers', 'no trailers', 'a length']

for (const ending of ENDINGS) {
  describe(`a proxy that sends ${ending}`, () => {
    test.each(FAULTS)('and %s: fails, and leaves no file', async (_, fault) => {
      const proxy = await startFaultyProxy(proxyPort, gateway.port)
      proxy.set(fault, ending)
      const before = readdirSync(sandbox.folder)
      const expected = { code: expect.stringMatching(/^(?:truncated|digest-mismatch)$/) }
      const target = join(sandbox.folder, 'report.csv')
      for (const [, transport] of TRANSPORTS) {
        const own = new CounterfoilClient({ ...merchant, ...transport })
        const downloaded = own.download('transactions-list', OPTIONS, target)
        await expect(downloaded).rejects.toMatchObject(expected)
        expect(readdirSync(sandbox.folder)).toEqual(before)
        const { body, completed } = await own.report('transactions-list', OPTIONS)
        await expect(new Response(body).arrayBuffer()).rejects.toMatchObject(expected)
        await expect(completed).rejects.toMatchObject(expected)
        // The loop may also end at a row that is not as the catalogue describes it.
        await expect(loopOver(own)).rejects.toMatchObject({ code: expect.any(String) })
      }
    })
  })
}

test('passes a proxy that changes nothing', async () => {
  await startFaultyProxy(proxyPort, gateway.port)
  const client = new CounterfoilClient(merchant)
  const target = join(sandbox.folder, 'whole.csv')
  const saved = await client.download('transactions-list', {}, target)
  expect(saved).toMatchObject({ proof: 'trailers', rows: USUAL_ROWS })
})

function flip(chunk: Buffer): Buffer {
  const changed = Buffer.from(chunk)
  changed[0] = (changed[0] ?? 0) ^ 1
  return changed
}

/** Where the last row of a CSV begins. */
function lastRowIn(chunks: readonly Buffer[]): number {
  return Buffer.concat(chunks).lastIndexOf('\r\n', -3) + 2
}

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
