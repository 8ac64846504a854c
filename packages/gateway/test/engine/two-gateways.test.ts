// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, open } from '../kit/ask.ts'
import { startClickHouse, type TestServer, USER } from '../kit/clickhouse-server.ts'
import { runHere } from '../kit/run-here.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

const SESSIONS = 4

let sandbox: Sandbox
let server: TestServer
let gateways: readonly RunningGateway[]
beforeAll(async () => {
  server = await startClickHouse()
  sandbox = await makeSandbox(1_000)
  const passwordFile = join(sandbox.folder, 'clickhouse-password')
  writeFileSync(passwordFile, USER.password, { mode: 0o600 })
  const cluster = { urls: [server.url], user: USER.user, passwordFile }
  const engine = { cluster, sessions: SESSIONS, queueLength: 8, queueWaitSeconds: 60 }
  const file = await sandbox.writeConfig({ engine: { cluster } })
  const { code, stderr } = await runHere('ledger', 'copy', '--to', 'cluster', '--config', file)
  if (code !== 0) throw new Error(stderr)
  gateways = [await serve(sandbox, { engine }), await serve(sandbox, { engine })]
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.close()
  await server.remove()
  sandbox.remove()
})

test('one login that fills its share of both gateways takes nothing from another login', async () => {
  const { operator, merchant } = sandbox.logins
  const width = { type: 'INPUT_NUMBER', name: 'width', value: '1000000' }
  const endless = { reportIdentifier: 'wide-rows', inputReportParameters: [width] }
  const leaving = new AbortController()
  const { signal } = leaving
  // More reports at both gateways than one login may run. Nobody reads them.
  const asked = gateways.flatMap((gateway) => {
    return Array.from({ length: SESSIONS }, () => open(gateway, operator, endless, { signal }))
  })
  let begun = 0
  for (const sent of asked) {
    sent.then(
      () => (begun += 1),
      () => {},
    )
  }
  for (const gateway of gateways) {
    for (let round = 0; round < 5; round += 1) {
      expect(await ask(gateway, merchant)).toMatchObject({ status: 200 })
    }
  }
  expect(begun).toBeGreaterThan(0)
  expect(begun).toBeLessThanOrEqual((gateways.length * SESSIONS) / 2)
  leaving.abort()
  await Promise.allSettled(asked)
})
