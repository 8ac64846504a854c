import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { LIMITS } from '../src/limits.ts'
import { open, parameters } from './ask.ts'
import { byRef, CARDS, findEndpointsIn, operate, type OwnEndpoint, reported } from './operate.ts'
import { type RunningGateway, serve } from './running-gateway.ts'
import { makeSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
let own: OwnEndpoint
let gateway: RunningGateway
beforeAll(async () => {
  sandbox = await makeSandbox()
  ;({ own } = await findEndpointsIn(sandbox, sandbox.logins.merchant))
})
afterEach(() => gateway.close())
afterAll(() => sandbox.remove())

async function send(orderId: string, card: string = CARDS.approved) {
  const form = byRef(orderId, own, { 'destination-card-no': card })
  const answer = await operate(
    gateway,
    sandbox.logins.merchant,
    `v4/transfer-by-ref/${own.id}`,
    form,
  )
  return { ...answer, content: JSON.parse(answer.text) }
}

test('after a restart with a newer master key the same form is known again, and a changed one too', async () => {
  gateway = await serve(sandbox)
  const first = await send('rotated')
  await gateway.close()
  const newer = join(sandbox.folder, 'newer.key')
  writeFileSync(newer, randomBytes(32).toString('base64'), { mode: 0o600 })
  const masterKeys = [
    { version: 1, file: join(sandbox.folder, 'master.key') },
    { version: 2, file: newer },
  ]
  gateway = await serve(sandbox, { masterKeys })
  expect(await send('rotated')).toMatchObject({ status: 200, content: first.content })
  expect(await send('rotated', CARDS.declined)).toMatchObject({
    status: 422,
    content: { 'error-code': '114' },
  })
})

test('what becomes final while no gateway runs is final in the first report', async () => {
  gateway = await serve(sandbox)
  await send('meanwhile', CARDS.delayedDeclined)
  await gateway.close()
  await sleep(5_000)
  gateway = await serve(sandbox)
  const rows = await reported(gateway, sandbox.logins.merchant)
  expect(rows.filter((row) => row['Merchant_OID'] === 'meanwhile')).toMatchObject([
    { Status: 'declined' },
  ])
})

test('a gateway that is busy says so, and when to send again', async () => {
  gateway = await serve(sandbox, { engine: { sessions: 1, queueLength: 0 } })
  const wide = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }
  const running = await open(gateway, sandbox.logins.operator, wide)
  const { status, headers, content } = await send('busy')
  expect([status, headers['retry-after']]).toEqual([503, String(LIMITS.retryAfterSeconds)])
  expect(content).toMatchObject({ type: 'error', 'error-code': '202' })
  running.destroy()
})
