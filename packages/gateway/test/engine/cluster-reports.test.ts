// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { warnOfMissing } from '../../src/commands/warn-of-missing.ts'
import { loadConfig } from '../../src/config/config.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { expectSameReports } from '../kit/ask.ts'
import { startClickHouse, USER, clusterOf } from '../kit/clickhouse-server.ts'
import { runHere } from '../kit/run-here.ts'
import { serve } from '../kit/running-gateway.ts'
import { EVERY_REPORT } from '../kit/sandbox.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

const CALLERS = ['operator', 'manager', 'reseller', 'merchant'] as const

const sandbox = await useSandbox(6000, EVERY_REPORT)
const server = await startClickHouse()
const cluster = clusterOf(sandbox.folder, server)
const file = await sandbox.writeConfig({ engine: { cluster } })
const { code: copied, stderr: fault } = await runHere('ledger copy --to cluster', '--config', file)
if (copied !== 0) throw new Error(fault)
const embedded = await serve(sandbox)
const clustered = await serve(sandbox, { engine: { cluster } })
afterAll(async () => {
  await clustered.close()
  await embedded.close()
  await server.remove()
})

test.each(CALLERS)('every report of a %s is the same as from the embedded engine', async (role) => {
  expect(await expectSameReports(clustered, embedded, role)).toBeGreaterThan(100)
})

test('a login gets a warning of ids that the server does not have', async () => {
  const config = loadConfig(await sandbox.writeConfig({ engine: { cluster } }))
  const login = {
    name: 'shop',
    role: 'merchant',
    bodyHashRequired: false,
    createdAt: new Date(),
  } as const
  expect(await warnOfMissing(config, { ...login, sees: ['1', '987654'] })).toEqual([
    'The ledger has no transactions of merchant 987654.',
  ])
})

test.each([
  ['generate', ['--rows', '1000']],
  ['backup', ['copy']],
])('%s is refused with the place that says what to do', async (command, more) => {
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
