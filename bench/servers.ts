import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import { openDemoLedger } from '../packages/gateway/src/demo/demo-ledger.ts'
import { type DemoLogin, prepareDemoLogins } from '../packages/gateway/src/demo/demo-logins.ts'
import { prepareDemoConfig } from '../packages/gateway/src/demo/demo-settings.ts'
import { STREAMING_SETTINGS } from '../packages/engine/src/dialect/settings.ts'
import type { Config } from '../packages/gateway/src/config/config.ts'
import { startGateway } from '../packages/gateway/src/serve/gateway.ts'
import { createLog } from '../packages/gateway/src/observe/log.ts'
import type { Engine } from '../packages/engine/src/engine/engine.ts'
import { copyLedger } from '../packages/ledger/src/changes/copy-ledger.ts'
import { openEachServer, openEngine } from '../packages/gateway/src/serve/open-engine.ts'
import { startClickHouse, USER } from '../packages/gateway/test/kit/clickhouse-server.ts'
import { benchFolder } from './bench-gateway.ts'
import { planOf } from './bench-plan.ts'
import type { Comparison } from './comparison.ts'
import { freePort } from '../packages/gateway/test/kit/free-port.ts'
import { readFromEngine } from './read-from-engine.ts'
import { type Asked, readWithCurl } from './read-with-curl.ts'
import { takeTurns } from './rounds.ts'

const ROWS = 1_000_000
const ROUNDS = 5
const REQUEST: ReportRequest = { reportIdentifier: 'transactions-list' }

/**
 * Compares a report through a gateway in front of a ClickHouse server with the same query that curl sends to the server
 * itself. Both run on this machine.
 */
export async function measureServers(): Promise<readonly Comparison[]> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const one = await startClickHouse()
  const closing: (() => Promise<void>)[] = []
  try {
    const { config, operator } = await prepare()
    const passwordFile = join(folder, 'password')
    writeFileSync(passwordFile, USER.password, { mode: 0o600 })
    const login = { user: USER.user, passwordFile }
    const embedded = await openDemoLedger(config, ROWS)
    closing.push(async () => await embedded.close())
    const single = await serve(config, operator, embedded, { ...login, urls: [one.url] })
    closing.push(single.close)
    const server = { url: one.url, login: USER }
    const itself = async () =>
      rate(await readFromEngine(server, planOf(REQUEST), STREAMING_SETTINGS))
    const throughGateway = async () => rate((await readWithCurl(single, REQUEST)).totalMs)
    return [
      {
        name: 'CSV from a ClickHouse server',
        unit: 'rows/s',
        referenceName: 'curl, the same query to the server itself',
        ...(await takeTurns(ROUNDS, throughGateway, itself)),
        atLeast: 0.95,
      },
    ]
  } finally {
    for (const close of closing) await close()
    await one.remove()
    rmSync(folder, { recursive: true })
  }
}

async function prepare(): Promise<{ readonly config: Config; readonly operator: DemoLogin }> {
  const dataDir = benchFolder(ROWS)
  const config = prepareDemoConfig({ port: await freePort(), rows: ROWS, dataDir })
  const logins = await prepareDemoLogins(config, process.env)
  const operator = logins.find(({ role }) => role === 'operator')
  if (!operator) throw new Error('expected an operator')
  return { config, operator }
}

/** Copies a ledger to a server, and starts a gateway on them. */
async function serve(
  config: Config,
  operator: DemoLogin,
  source: Engine,
  cluster: Config['engine']['cluster'],
): Promise<Asked & { readonly close: () => Promise<void> }> {
  const listen = { host: '127.0.0.1', port: await freePort() }
  const publicUrl = `http://${listen.host}:${listen.port}`
  const engineOf = { ...config.engine, cluster }
  const onServers = { ...config, listen, publicUrl, engine: engineOf, payments: undefined }
  const engine = await openEngine(onServers)
  const servers = await openEachServer(onServers)
  await copyLedger(source, servers, () => {})
  for (const server of servers) await server.close()
  const log = createLog({ level: 'silent', destination: process.stderr })
  const gateway = await startGateway(onServers, engine, { log, environment: process.env })
  return { reportUrl: gateway.reportUrl, operator, close: async () => await gateway.close() }
}

function rate(ms: number): number {
  return (ROWS * 1000) / ms
}
