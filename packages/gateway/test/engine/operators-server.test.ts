// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { warnOfMissing } from '../../src/commands/warn-of-missing.ts'
import { loadConfig } from '../../src/config/config.ts'
import { openHttpEngine } from '../../../engine/src/http/http-engine.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { READABLE, startClickHouse, type TestServer, USER } from '../kit/clickhouse-server.ts'
import { CLUSTER_OPTIONS, serversAt } from '../kit/cluster-kit.ts'
import { describeEngine } from '../kit/engine-contract.ts'
import { runHere } from '../kit/run-here.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

let sandbox: Sandbox
let server: TestServer
let cluster: object

beforeAll(async () => {
  server = await startClickHouse()
  sandbox = await makeSandbox(1000)
  const passwordFile = join(sandbox.folder, 'clickhouse-password')
  writeFileSync(passwordFile, `${USER.password}\n`, { mode: 0o600 })
  cluster = { urls: [server.url], user: USER.user, passwordFile }
  const file = await sandbox.writeConfig({ engine: { cluster } })
  const { code, stderr } = await runHere('ledger', 'copy', '--to', 'cluster', '--config', file)
  if (code !== 0) throw new Error(stderr)
})
afterAll(async () => {
  await server.remove()
  sandbox.remove()
})

test('a login gets a warning of ids that the server does not have', async () => {
  const config = loadConfig(await sandbox.writeConfig({ engine: { cluster } }))
  const login = {
    name: 'shop',
    role: 'merchant',
    bodyHashRequired: false,
    createdAt: new Date(),
  } as const
  expect(await warnOfMissing(config, { ...login, sees: [1, 987_654] })).toEqual([
    'The ledger has no transactions of merchant 987654.',
  ])
})

test.each([
  ['generate', ['--rows', '1000']],
  ['backup', ['copy']],
])('%s is refused with the place that says what to do', async (command, more) => {
  const file = await sandbox.writeConfig({ engine: { cluster } })
  const { code, stderr } = await runHere(command, ...more, '--config', file)
  expect(code).toBe(1)
  expect(stderr).toContain('See docs/servers.md, "A ClickHouse server"')
})

test('a password file that is missing, or that others may use, is refused by its name', async () => {
  const shared = join(sandbox.folder, 'shared-password')
  writeFileSync(shared, USER.password, { mode: 0o644 })
  const faults = {
    none: /Cannot read the password file .*none/,
    [shared]: /Run: chmod 600 .*shared/,
  }
  for (const [passwordFile, message] of Object.entries(faults)) {
    const engine = { cluster: { ...cluster, passwordFile } }
    const config = loadConfig(await sandbox.writeConfig({ engine }))
    const expected = { code: 'config', message: expect.stringMatching(message) }
    await expect(openEngine(config)).rejects.toMatchObject(expected)
  }
})

describe('an engine on the server', async () => {
  const readable = await startClickHouse(READABLE)
  afterAll(() => readable.remove())
  describeEngine((options) =>
    openHttpEngine({ ...CLUSTER_OPTIONS, ...options, servers: serversAt([readable.url]) }),
  )
})
