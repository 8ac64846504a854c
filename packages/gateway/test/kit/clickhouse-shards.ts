import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../src/config/config.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { LEDGER_TABLES } from '../../src/ledger/model.ts'
import { SHARD_TABLES } from '../../src/ledger/sharding.ts'
import { openEngine } from '../../src/open-engine.ts'
import { makeSandbox } from './sandbox.ts'
import type { ScratchLedger } from './scratch-ledger.ts'
import { freePort } from './free-port.ts'
import {
  documentedXml,
  sha256,
  startServer,
  type TestServer,
  USER,
  usersXml,
} from './clickhouse-server.ts'

/** The name of the cluster of docs/operations.md. */
export const CLUSTER = 'counterfoil'

/** Starts two servers as two shards, with the files of docs/operations.md. */
export async function startShards(): Promise<readonly [TestServer, TestServer]> {
  const ports = [await freePort(), await freePort()] as const
  const start = async (tcpPort: number): Promise<TestServer> => {
    return await startServer({ users: shardUsers(), config: clusterXml(ports), tcpPort })
  }
  return [await start(ports[0]), await start(ports[1])]
}

/** Opens an engine with an empty ledger on two shards. `fill` inserts as docs/operations.md says. */
export async function openShardedLedger(
  shards: readonly [TestServer, TestServer],
): Promise<ScratchLedger> {
  const sandbox = await makeSandbox(0, [])
  const { folder } = sandbox
  const passwordFile = join(folder, 'clickhouse-password')
  writeFileSync(passwordFile, USER.password, { mode: 0o600 })
  const urls = shards.map(({ url }) => url)
  const cluster = { urls, name: CLUSTER, user: USER.user, passwordFile }
  const engine = await openEngine(loadConfig(await sandbox.writeConfig({ engine: { cluster } })))
  const fill = async (sql: string): Promise<void> => {
    const [, table] = /^INSERT INTO (transactions|statements)\b/.exec(sql) ?? []
    if (table === undefined) {
      for (const { run } of shards) await run(sql)
      return
    }
    await shards[0].run(sql.replace(table, `${table}_distributed`))
    await shards[0].run(`SYSTEM FLUSH DISTRIBUTED ${table}_distributed`)
  }
  const close = async (): Promise<void> => {
    await engine.close()
    sandbox.remove()
  }
  return { engine, folder, fill, close }
}

/** Copies a ledger to shards as docs/operations.md says, through files in a folder. */
export async function copyToShards(
  from: Engine,
  shards: readonly [TestServer, TestServer],
  folder: string,
): Promise<void> {
  for (const [table, columns] of Object.entries(LEDGER_TABLES)) {
    const names = Object.keys(columns).join(', ')
    const file = `file('${join(folder, `${table}.native`)}', 'Native')`
    await from.execute(`INSERT INTO FUNCTION ${file} SELECT ${names} FROM ${table}`)
    const isSharded = Object.hasOwn(SHARD_TABLES, table)
    const target = isSharded ? SHARD_TABLES[table] : table
    for (const server of isSharded ? shards.slice(0, 1) : shards) {
      await server.run(`INSERT INTO ${target} (${names})
        SETTINGS distributed_foreground_insert = 1 SELECT ${names} FROM ${file}`)
    }
  }
  for (const server of shards) await server.run('SYSTEM RELOAD DICTIONARIES')
}

function shardUsers(): string {
  const [, owner = '', , shard = ''] = documentedXml()
  const user = /<users>(.*)<.users>/s.exec(shard)?.[1] ?? ''
  const local = user
    .replace('SHA-256', sha256(USER.password))
    .replace(/<networks>.*<.networks>/, '<networks><ip>127.0.0.1</ip></networks>')
  return usersXml()
    .replace('<counterfoil_owner><grants>', `$&${owner}`)
    .replace('</users>', `${local}</users>`)
}

function clusterXml(ports: readonly [number, number]): string {
  const [, , cluster = ''] = documentedXml()
  const inner = cluster.replace(/<.?clickhouse>/g, '')
  return ports
    .reduce((xml, port) => xml.replace('<port>9440</port>', `<port>${port}</port>`), inner)
    .replaceAll(/<host>[^<]*</g, '<host>127.0.0.1<')
    .replaceAll('<secure>1</secure>', '')
    .replaceAll('>PASSWORD<', `>${USER.password}<`)
}
