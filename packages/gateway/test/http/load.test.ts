// @module-tag long

import { once } from 'node:events'
import { type ClientRequest, request as requestHttp } from 'node:http'
import { expect, test } from 'vitest'
import { type Answer, ask, LIST, parameters, problemIn, signRequest } from '../kit/ask.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { USUAL_ROWS } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const LARGE = 64
const LOGINS = 20
const REPORTS = 3
const WIDE = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }
const DAY = { ...LIST, ...parameters({ dateFrom: '2026-10-01', dateTo: '2026-10-02' }) }

const { sandbox, gateway } = await serveSandbox()
const shops = Array.from({ length: LOGINS }, (_, index) => `shop-${index}`)
const logins = await Promise.all(shops.map((shop) => sandbox.addLogin(shop, 'merchant', ['1'])))

/** Sends `count` requests at once. */
async function askAtOnce(at: RunningGateway, count: number): Promise<Answer[]> {
  const asking = Array.from({ length: count }, () => ask(at, sandbox.logins.operator))
  return await Promise.all(asking)
}

test('completes each report or refuses it with Retry-After, if there is no room for 16', async () => {
  const narrow = await serve(sandbox, { engine: { sessions: 2, queueLength: 3 } })
  const answers = await askAtOnce(narrow, 16)
  const complete = answers.filter(({ status }) => status === 200)
  const busy = answers.filter(({ status }) => status === 429)
  expect(complete.length).toBeGreaterThanOrEqual(4)
  expect(complete.length + busy.length).toBe(16)
  expect(busy.length).toBeGreaterThan(0)
  for (const { trailers } of complete) {
    expect(trailers['counterfoil-rows']).toBe(String(USUAL_ROWS))
  }
  for (const answer of busy) {
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(problemIn(answer)).toMatchObject({ code: 'too-many-reports', status: 429 })
  }
  await narrow.close()
})

test.each(['reads', 'leaves unread'])(
  'refuses no small report of 20 logins while another login %s 64 large reports',
  async (how) => {
    const requests = new Set<ClientRequest>()
    const asking = Array.from({ length: LARGE }, async () => {
      const { url, method, headers, body } = await signRequest(
        gateway,
        sandbox.logins.operator,
        WIDE,
      )
      const sent = requestHttp(url, { method, headers, agent: false })
      requests.add(sent.on('error', () => {}))
      sent.end(body)
      const [answer] = await once(sent, 'response')
      answer.on('error', () => {})
      if (how === 'reads') answer.resume()
      return answer.statusCode
    })
    const small = logins.map(async (login) => {
      for (let times = 0; times < REPORTS; times += 1) {
        const { status, trailers } = await ask(gateway, login, DAY)
        expect([status, Object.keys(trailers)]).toEqual([
          200,
          expect.arrayContaining(['repr-digest']),
        ])
      }
    })
    await Promise.all(small)
    for (const sent of requests) sent.destroy()
    await Promise.allSettled(asking)
  },
)

test('tells a login that its share is used up, and when to retry', async () => {
  const narrow = await serve(sandbox, { engine: { sessions: 2, queueLength: 1 } })
  const { operator } = sandbox.logins
  const answers = await Promise.all([1, 2, 3].map(() => ask(narrow, operator, WIDE)))
  const refused = answers.find(({ status }) => status === 429)
  expect(refused && problemIn(refused)).toMatchObject({
    code: 'too-many-reports',
    detail: expect.stringMatching(
      /^A login runs at most 1 of these requests at once, and yours has \d running or waiting\. Sign again and retry in 5 seconds\.$/,
    ),
  })
  expect(refused?.headers['retry-after']).toBe('5')
  await narrow.close()
})
