// A gateway on a demo ledger, in a process of its own, so that its memory can be measured: gateway-process.ts OPTIONS.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Role } from '../packages/common/src/roles.ts'
import type { Engine } from '../packages/engine/src/engine/engine.ts'
import type { Config } from '../packages/gateway/src/config/config.ts'
import {
  type DemoLogin,
  openDemoLedger,
  prepareDemoLogins,
} from '../packages/gateway/src/demo/demo-data.ts'
import { prepareDemoConfig } from '../packages/gateway/src/demo/demo-settings.ts'
import { createLog } from '../packages/gateway/src/observe/log.ts'
import { startGateway } from '../packages/gateway/src/serve/gateway.ts'
import { openEachServer, openEngine } from '../packages/gateway/src/serve/open-engine.ts'
import { freePort } from '../packages/gateway/test/kit/free-port.ts'
import { copyLedger } from '../packages/ledger/src/changes/copy-ledger.ts'
import { controlKeyOf, makeControlKey } from '../packages/store/src/keys/credentials.ts'
import { openMasterKeys } from '../packages/store/src/keys/seal.ts'
import { openStore } from '../packages/store/src/store/open-store.ts'
import { type GatewayOptions, MERCHANT_ID, type Serving, type Usage } from './gateway.ts'

const SAMPLE_MS = 50

const { rows, cluster }: GatewayOptions = JSON.parse(process.argv[2] ?? '')
const dataDir = resolve('var', 'bench', String(rows))
const demo = prepareDemoConfig({ port: await freePort(), rows, dataDir })
await prepareDemoLogins(demo, process.env)
const ledger = await openDemoLedger(demo, rows)
// Merges each month into one part, as the engine does over time. A report of the complete ledger takes some MiB for
// each part, and a new ledger has several for a month.
await ledger.execute(
  'OPTIMIZE TABLE transactions FINAL SETTINGS optimize_skip_merged_partitions = 1',
)
// Sixteen reports of a complete ledger take minutes on a slow machine.
const engineOptions = { ...demo.engine, queueWaitSeconds: 600, cluster }
const config = { ...demo, engine: engineOptions, ...(cluster && { payments: undefined }) }
const engine = cluster ? await moveToServers(config, ledger) : ledger
const log = createLog({ level: 'silent', destination: process.stderr })
const gateway = await startGateway(config, engine, { log, environment: process.env })

const ownServer = await engine.ownServer?.()
const status = ownServer && readFileSync(join(dataDir, 'ledger/status'), 'utf8')
const ownServerId = /^PID: (\d+)$/m.exec(status ?? '')?.[1]
let peakBytes = 0
const sampling = setInterval(() => {
  peakBytes = Math.max(peakBytes, residentBytes())
}, SAMPLE_MS)
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let cpu = process.cpuUsage()

process.on('message', async (order) => {
  if (order === 'usage') {
    const { user, system } = process.cpuUsage(cpu)
    const [longestMs, p999Ms] = [delay.max / 1e6, delay.percentile(99.9) / 1e6]
    const usage = { peakBytes, cpuMs: (user + system) / 1000, longestMs, p999Ms }
    process.send?.(usage satisfies Usage)
    peakBytes = residentBytes()
    cpu = process.cpuUsage()
    delay.reset()
    return
  }
  clearInterval(sampling)
  await gateway.close()
  process.disconnect?.()
})
process.send?.({
  reportUrl: gateway.reportUrl,
  operators: await addLogins('operator', [], 4),
  merchants: await addLogins('merchant', [MERCHANT_ID], 20),
  ownServer,
  idleBytes: residentBytes(),
} satisfies Serving)

async function moveToServers(served: Config, source: Engine): Promise<Engine> {
  const opened = await openEngine(served)
  const servers = await openEachServer(served)
  await copyLedger(source, servers, () => {})
  for (const each of [...servers, source]) await each.close()
  return opened
}

async function addLogins(role: Role, sees: readonly string[], count: number) {
  const logins: DemoLogin[] = []
  const createdAt = new Date()
  const context = { now: createdAt, randomBytes, foreignFingerprints: [] }
  const masterKeys = openMasterKeys(config.masterKeys, process.env)
  const store = await openStore(config)
  for (let added = 0; added < count; added += 1) {
    const login = `bench-${randomBytes(6).toString('hex')}`
    const controlKey = makeControlKey(randomBytes)
    await store.addLogin({ name: login, role, sees, bodyHashRequired: false, createdAt })
    await store.addKey(controlKeyOf(login, controlKey, masterKeys, context))
    logins.push({ login, role, controlKey })
  }
  await store.close()
  return logins
}

/** The resident memory of the gateway and of its own ClickHouse. */
function residentBytes(): number {
  const text = ownServerId ? readFileSync(`/proc/${ownServerId}/status`, 'utf8') : ''
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0)
  return process.memoryUsage.rss() + kibibytes * 1024
}
