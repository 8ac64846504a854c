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
