// @module-tag long

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { SELECT_SETTINGS } from '../../../engine/src/dialect/settings.ts'
import { tableFilters } from '../../../engine/src/dialect/settings.ts'
import { loadConfig } from '../../src/config/config.ts'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { LEDGER_TABLES } from '../../../ledger/src/model/model.ts'
import { openEachServer } from '../../src/serve/open-engine.ts'
import * as z from 'zod'
import { expectSameReports } from '../kit/ask.ts'
import {
  documentedXml,
  sha256,
  startServer,
  type TestServer,
  USER,
  usersXml,
  clusterOf,
} from '../kit/clickhouse-server.ts'
import { freePort } from '../kit/free-port.ts'
import { serve } from '../kit/running-gateway.ts'
import { EVERY_REPORT } from '../kit/sandbox.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/servers.md'), 'utf8')
const [, RECIPE = ''] = /^## Tables over several servers\n(.*?)^## /ms.exec(PAGE) ?? []

const sandbox = await useSandbox(6000, EVERY_REPORT)
const servers = await startServers()
const both = { cluster: clusterOf(sandbox.folder, ...servers) }
const ownConfig = loadConfig(await sandbox.writeConfig({ engine: both }))
for (const server of await openEachServer(ownConfig)) await server.close()
const embedded = await serve(sandbox)
await followRecipe()
await copyRows()
const one = { cluster: clusterOf(sandbox.folder, servers[0]) }
const distributed = await serve(sandbox, { engine: one })
afterAll(async () => {
  await distributed.close()
  await embedded.close()
  for (const server of servers) await server.remove()
})

test.each(['merchant', 'reseller'] as const)(
  'every report of a %s has the same bytes as from one server',
  async (role) => {
    expect(await expectSameReports(distributed, embedded, role)).toBeGreaterThan(100)
  },
)

test('both servers have rows, and the scope holds on the view alone', async () => {
  const merchants =
    'SELECT arraySort(groupUniqArray(cityHash64(merchant_id) % 2)) FROM transactions_local'
  expect(await Promise.all(servers.map(({ run }) => run(merchants)))).toEqual(['[0]\n', '[1]\n'])
  const [seen] = await readRows(distributed.engine, z.object({ merchants: z.string() }), {
    sql: 'SELECT toString(groupUniqArray(merchant_id)) AS merchants FROM transactions',
    settings: {
      ...SELECT_SETTINGS,
      ...tableFilters([['default.transactions', "merchant_id IN ('1')"]]),
    },
    role: 'report',
  })
  expect(seen).toEqual({ merchants: "['1']" })
  for (const table of ['transactions_distributed', 'transactions_local']) {
    const sql = `SELECT toString(count()) AS merchants FROM ${table}`
    const query = { sql, parameters: {}, role: 'report' } as const
    await expect(readRows(distributed.engine, z.unknown(), query)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('Not enough privileges') },
    })
  }
})

test('the other server runs no sub-select of IN', async () => {
  const query = {
    sql: 'SELECT count() FROM transactions WHERE order_id IN (SELECT order_id FROM transactions)',
    parameters: {},
    role: 'report',
  } as const
  await expect(readRows(distributed.engine, z.unknown(), query)).rejects.toMatchObject({
    cause: {
      message: expect.stringContaining(
        "Unknown table expression identifier 'default.transactions'",
      ),
    },
  })
})

/** Starts two servers with the files of the recipe. */
async function startServers(): Promise<readonly [TestServer, TestServer]> {
  const ports = [await freePort(), await freePort()] as const
  const [, cluster = '', shard = ''] = documentedXml()
  const config = ports
    .reduce((xml, port) => xml.replace('<port>9440</port>', `<port>${port}</port>`), cluster)
    .replaceAll(/<.?clickhouse>|<secure>1<.secure>/g, '')
    .replaceAll(/<host>[^<]*</g, '<host>127.0.0.1<')
    .replaceAll('>PASSWORD<', `>${USER.password}<`)
  const user = (/<users>(.*)<.users>/s.exec(shard)?.[1] ?? '')
    .replace('SHA-256', sha256(USER.password))
    .replace('192.0.2.21', '127.0.0.1')
  const users = usersXml().replace('</users>', `${user}</users>`)
  const start = async (tcpPort: number) => await startServer({ users, config, tcpPort })
  return [await start(ports[0]), await start(ports[1])]
}

/** Runs the statements of the recipe. */
async function followRecipe(): Promise<void> {
  const [rename = '', create = ''] = [...RECIPE.matchAll(/^```sql\n(.*?)^```$/gms)].map(
    ([, block]) => block ?? '',
  )
  for (const { run } of servers) await run(rename)
  for (const statement of create.split(';\n').filter(Boolean)) await servers[0].run(statement)
}

/** Inserts the rows of the embedded ledger as the recipe says. */
async function copyRows(): Promise<void> {
  for (const [table, columns] of Object.entries(LEDGER_TABLES)) {
    const names = Object.keys(columns).join(', ')
    const file = `file('${join(sandbox.folder, `${table}.native`)}', 'Native')`
    await embedded.engine.execute(`INSERT INTO FUNCTION ${file} SELECT ${names} FROM ${table}`)
    const isDivided = RECIPE.includes(`${table}_distributed`)
    for (const { run } of isDivided ? servers.slice(0, 1) : servers) {
      await run(`INSERT INTO ${isDivided ? `${table}_distributed` : table} (${names})
        SETTINGS distributed_foreground_insert = 1 SELECT ${names} FROM ${file}`)
    }
  }
  for (const { run } of servers) await run('SYSTEM RELOAD DICTIONARIES')
}
