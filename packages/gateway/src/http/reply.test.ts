import { once } from 'node:events'
import { createServer, request as requestHttp, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import type { ReportStream, ReportTotals } from '../outcome/outcome.ts'
import { problemReply, sendReport } from './reply.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Answers one request on a real server. Resolves when the headers of the answer arrive. */
async function answerWith(handle: (response: ServerResponse) => void) {
  server = createServer((_, response) => handle(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const sent = requestHttp({ host: '127.0.0.1', port, agent: false }).end()
  const [answer] = await once(sent, 'response')
  return answer
}

const TOTALS: ReportTotals = { rows: 2, replaced: 0, sha256: `${'A'.repeat(43)}=` }

function reportOf(body: ReportStream['body'], fileName = 'may.csv'): ReportStream {
  const [timezone, newestRow] = ['UTC', '2026-10-31T22:10:59Z']
  const contentType = 'text/csv; charset=UTF-8'
  const onEnd = () => {}
  return { kind: 'report', contentType, fileName, timezone, newestRow, onEnd, body }
}

test('sends chunks of any size completely and in order', async () => {
  const sizes = fc.array(fc.oneof(fc.nat(40), fc.nat(20_000), fc.nat(200_000)), {
    minLength: 1,
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(sizes, async (all) => {
      async function* body(): ReportStream['body'] {
        for (const [index, size] of all.entries()) {
          if (size % 3 === 0) await new Promise(setImmediate)
          yield new Uint8Array(size).fill(index)
        }
        return TOTALS
      }
      const answer = await answerWith((response) => {
        void sendReport(response, reportOf(body()))
      })
      const bytes = await buffer(answer)
      const expected = Buffer.concat(all.map((size, index) => Buffer.alloc(size, index)))
      expect(bytes.equals(expected)).toBe(true)
      expect(answer.trailers).toHaveProperty('counterfoil-rows')
      server?.close()
    }),
    { numRuns: 40 },
  )
})

test.each(['store', 'config', 'credentials', 'ledger'] as const)(
  'hides the details of an operator’s error: %s',
  (code) => {
    const { status, text: body } = problemReply(new GatewayError(code, 'SECRET'), 'r-1')
    expect(status).toBe(500)
    expect(JSON.parse(String(body))).toMatchObject({
      code: 'internal-error',
      detail: 'The gateway failed',
    })
    expect(body).not.toContain('SECRET')
  },
)
