// @module-tag long

import { expect, test } from 'vitest'
import { ask, LIST, parameters, problemIn, send } from '../kit/ask.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { viewerOf } from '../kit/view-session.ts'

const WIDE = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }
const CHANGE = { console: { viewSessions: {} }, engine: { sessions: 1, queueWaitSeconds: 0.2 } }

const { sandbox, gateway } = await serveSandbox([], CHANGE)
const { merchant, operator } = sandbox.logins

test('the reports of all view sessions of a login count towards its share of the engine', async () => {
  const viewer = await viewerOf(gateway, CHANGE)
  const first = await viewer.begin(operator.login)
  const second = await viewer.begin(operator.login)
  const other = await viewer.begin(merchant.login)
  const { origin } = new URL(gateway.reportUrl)
  const unread = await send({
    url: `${origin}/console/session/reports`,
    method: 'POST',
    headers: { Origin: origin, 'Content-Type': 'application/json', Cookie: first.cookie },
    body: Buffer.from(JSON.stringify(WIDE)),
  })
  expect(unread.statusCode).toBe(200)
  const request = async ({ cookie }: { readonly cookie: string }) => {
    return await viewer.request('POST', '/reports', { cookie, body: LIST })
  }
  const answers = [await request(second), await ask(gateway, operator)]
  expect(answers.map((answer) => problemIn(answer).code)).toEqual([
    'too-many-reports',
    'too-many-reports',
  ])
  expect(problemIn(await request(other)).code).toBe('engine-busy')
  unread.destroy()
})
