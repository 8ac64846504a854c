import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CounterfoilClient } from '@counterfoil/client'
import { describe, expect, test } from 'vitest'
import { TRANSPORTS } from '../kit/cut-replies.ts'
import { type Ending, type Fault, startFaultyProxy } from '../kit/faulty-proxy.ts'
import { freePort } from '../kit/free-port.ts'
import { USUAL_ROWS } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const proxyPort = await freePort()
export const { sandbox, gateway } = await serveSandbox([], {
  publicUrl: `http://127.0.0.1:${proxyPort}`,
})

const { login, controlKey } = sandbox.logins.operator
const endpoint = gateway.reportUrl
const merchant = { endpoint, login, controlKey, retries: 0 }
// Fewer bytes of the same rows.
const OPTIONS = { columns: ['Transaction_id', 'Amount'] }

async function loopOver(own: CounterfoilClient): Promise<void> {
  for await (const _ of own.rows('transactions-list', OPTIONS));
}

export const FAULTS: readonly (readonly [string, Fault])[] = [
  ['drops the last chunk', (chunks) => chunks.slice(0, -1)],
  ['drops the last row', (chunks) => [Buffer.concat(chunks).subarray(0, lastRowIn(chunks))]],
  ['drops everything', () => []],
  ['sends a chunk twice', ([first = Buffer.of(), ...rest]) => [first, first, ...rest]],
  ['changes a byte', (chunks) => chunks.map((chunk, index) => (index === 1 ? flip(chunk) : chunk))],
  ['swaps two chunks', ([one, two, ...rest]) => [two, one, ...rest].filter((chunk) => !!chunk)],
]

/** How the proxy may end a reply. */
export const ENDINGS: readonly Ending[] = ['trailers', 'no trailers', 'a length']

/** Tests the client behind a proxy with some faults. */
export function describeProxy(ending: Ending, faults: typeof FAULTS): void {
  describe(`a proxy that sends ${ending}`, () => {
    test.each(faults)('and %s: fails, and leaves no file', async (_, fault) => {
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

/** Tests the client behind a proxy without a fault. */
export function testHonestProxy(): void {
  test('passes a proxy that changes nothing', async () => {
    await startFaultyProxy(proxyPort, gateway.port)
    const client = new CounterfoilClient(merchant)
    const target = join(sandbox.folder, 'whole.csv')
    const saved = await client.download('transactions-list', {}, target)
    expect(saved).toMatchObject({ proof: 'trailers', rows: USUAL_ROWS })
  })
}

function flip(chunk: Buffer): Buffer {
  const changed = Buffer.from(chunk)
  changed[0] = (changed[0] ?? 0) ^ 1
  return changed
}

/** Where the last row of a CSV begins. */
function lastRowIn(chunks: readonly Buffer[]): number {
  return Buffer.concat(chunks).lastIndexOf('\r\n', -3) + 2
}
