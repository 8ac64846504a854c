// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { warnOfMissing } from '../../src/commands/warn-of-missing.ts'
import { loadConfig } from '../../src/config/config.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { catalogueSchema } from '../kit/catalogue-schemas.ts'
import { ask, parameters, problemIn } from '../kit/ask.ts'
import { startClickHouse, type TestServer, USER } from '../kit/clickhouse-server.ts'
import { FORMAT_READERS, NO_CONTENT } from '../formats/format-readers.ts'
import { runHere } from '../kit/run-here.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { EVERY_REPORT, makeSandbox, type Sandbox } from '../kit/sandbox.ts'

const MONTH = { dateFrom: '2026-10-01', dateTo: '2026-11-01' }
const CALLERS = ['operator', 'manager', 'reseller', 'merchant'] as const

let sandbox: Sandbox
let server: TestServer
let embedded: RunningGateway
let clustered: RunningGateway
let cluster: object

beforeAll(async () => {
  server = await startClickHouse()
  sandbox = await makeSandbox(6000, EVERY_REPORT)
  const passwordFile = join(sandbox.folder, 'clickhouse-password')
  writeFileSync(passwordFile, `${USER.password}\n`, { mode: 0o600 })
  cluster = { urls: [server.url], user: USER.user, passwordFile }
  const file = await sandbox.writeConfig({ engine: { cluster } })
  const { code, stderr } = await runHere('ledger', 'copy', '--to', 'cluster', '--config', file)
  if (code !== 0) throw new Error(stderr)
  embedded = await serve(sandbox)
  clustered = await serve(sandbox, { engine: { cluster } })
})
afterAll(async () => {
  await clustered.close()
  await embedded.close()
  await server.remove()
  sandbox.remove()
})

test('a server gets no element of a list that has 99,990 characters, but a list of that length', async () => {
  const asked = (orders: string) => {
    return {
      reportIdentifier: 'order-reconciliation',
      ...parameters({ ...MONTH, clientOrderIds: orders }),
    }
  }
  const merchant = sandbox.logins.merchant
  const longest = Array.from({ length: 25 }, () => 'x'.repeat(3999)).join()
  expect((await ask(clustered, merchant, asked(longest))).status).toBe(200)
  const refused = problemIn(await ask(clustered, merchant, asked(`a,${'x'.repeat(99_990)}`)))
  expect(refused).toMatchObject({
    code: 'invalid-parameter',
    status: 422,
    errors: [{ expected: expect.stringContaining('4000 characters in each value of the list') }],
  })
})

test.each(CALLERS)(
  'every report of a %s has the same bytes as from the embedded engine',
  async (role) => {
    const login = sandbox.logins[role]
    const asked = { sandbox, reportUrl: `${clustered.reportUrl}/catalogue` }
    const { reports } = catalogueSchema.parse(JSON.parse((await ask(asked, login, {})).text))
    expect(reports.length).toBeGreaterThan(2)
    let rows = 0
    for (const { example } of reports) {
      const expected = await ask(embedded, login, example)
      const answer = await ask(clustered, login, example)
      expect([answer.status, answer.text]).toEqual([200, expected.text])
      expect(answer.trailers).toEqual(expected.trailers)
      rows += Number(answer.trailers['counterfoil-rows'])
    }
    expect(rows).toBeGreaterThan(100)
  },
)

test('every report as Parquet holds the same rows as from the embedded engine', async () => {
  const login = sandbox.logins.operator
  const asked = { sandbox, reportUrl: `${clustered.reportUrl}/catalogue` }
  const { reports } = catalogueSchema.parse(JSON.parse((await ask(asked, login, {})).text))
  const { read } = FORMAT_READERS.PARQUET
  for (const { example } of reports.filter(({ formats }) => formats.includes('PARQUET'))) {
    const request = { ...example, reportFormat: 'PARQUET' }
    const expected = await ask(embedded, login, request)
    const answer = await ask(clustered, login, request)
    expect(await read(answer.bytes, NO_CONTENT)).toEqual(await read(expected.bytes, NO_CONTENT))
    expect(answer.trailers['counterfoil-rows']).toBe(expected.trailers['counterfoil-rows'])
  }
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
