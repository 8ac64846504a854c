import { expect, test } from 'vitest'
import { type Answer, ask, LIST, open, parameters, problemIn, read } from '../kit/ask.ts'
import { type RunningGateway, serve, untilRunning } from '../kit/running-gateway.ts'
import { USUAL_ROWS } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const WIDE = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }

const { sandbox, gateway } = await serveSandbox()

/** Sends `count` requests at once. */
async function askAtOnce(at: RunningGateway, count: number): Promise<Answer[]> {
  const asking = Array.from({ length: count }, () => ask(at, sandbox.logins.operator))
  return await Promise.all(asking)
}

test('sends 16 complete reports at once', async () => {
  const answers = await askAtOnce(gateway, 16)
  const [first] = answers
  for (const { status, trailers, bytes } of answers) {
    expect(status).toBe(200)
    expect(trailers).toMatchObject({ 'counterfoil-rows': String(USUAL_ROWS) })
    expect(bytes.length).toBe(first?.bytes.length)
  }
})

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

test('refuses a report with Retry-After after its time in the queue', async () => {
  const narrow = await serve(sandbox, { engine: { sessions: 1, queueWaitSeconds: 0.2 } })
  const { operator, merchant } = sandbox.logins
  const slow = await open(narrow, operator, WIDE)
  const [own, answer] = await Promise.all([ask(narrow, operator), ask(narrow, merchant)])
  expect(problemIn(own)).toMatchObject({ code: 'too-many-reports' })
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/)
  expect(problemIn(answer)).toMatchObject({ code: 'engine-busy' })
  expect((await read(slow)).trailers).toMatchObject({ 'counterfoil-rows': String(USUAL_ROWS) })
  expect((await ask(narrow, operator)).status).toBe(200)
  await narrow.close()
})

test('answers a small report while four slow readers take large ones', async () => {
  const { operator, merchant } = sandbox.logins
  const slow = await Promise.all([1, 2, 3, 4].map(() => open(gateway, operator, WIDE)))
  await untilRunning(gateway.engine, 4)
  const day = { ...LIST, ...parameters({ dateFrom: '2026-10-01', dateTo: '2026-10-02' }) }
  for (let times = 0; times < 5; times += 1) {
    const small = await ask(gateway, merchant, day)
    expect(small.status).toBe(200)
    expect(small.trailers).toHaveProperty('repr-digest')
  }
  for (const answer of slow) answer.destroy()
  await untilRunning(gateway.engine, 0)
})
