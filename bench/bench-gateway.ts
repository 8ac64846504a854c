import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { type DemoLogin, prepareDemoLogins } from '../packages/gateway/src/demo/demo-logins.ts'
import { openDemoLedger } from '../packages/gateway/src/demo/demo-ledger.ts'
import { prepareDemoConfig } from '../packages/gateway/src/demo/demo-settings.ts'
import { type Config } from '../packages/gateway/src/config/config.ts'
import type { Engine } from '../packages/engine/src/engine/engine.ts'
import { type Gateway, startGateway } from '../packages/gateway/src/serve/gateway.ts'
import { createLog } from '../packages/gateway/src/observe/log.ts'
import { controlKeyOf, makeControlKey } from '../packages/store/src/keys/credentials.ts'
import { openMasterKeys } from '../packages/store/src/keys/seal.ts'
import type { Role } from '../packages/common/src/roles.ts'
import { freePort } from '../packages/gateway/test/kit/free-port.ts'
import { openStore } from '../packages/store/src/store/open-store.ts'

/** A gateway on a demo ledger, in this process. */
export interface BenchGateway {
  readonly gateway: Gateway
  readonly engine: Engine
  /** Logins that see everything. */
  readonly operators: readonly [DemoLogin, ...DemoLogin[]]
  /** Logins that see the merchant `MERCHANT_ID` only. */
  readonly merchants: readonly [DemoLogin, ...DemoLogin[]]
  /** The ledger's folder. */
  readonly ledger: string
}

/** A merchant with about a hundred rows a day in a ledger of 5,000,000. */
export const MERCHANT_ID = '10'

const OPERATORS = 4
const MERCHANTS = 20

/** The folder of the gateway on a ledger of `rows` transactions. */
export function benchFolder(rows: number): string {
  return resolve('var', 'bench', String(rows))
}

/** Opens a gateway on a ledger of `rows` transactions. The ledger stays in its folder for the next run. */
export async function openBenchGateway(rows: number): Promise<BenchGateway> {
  const dataDir = benchFolder(rows)
  const config = prepareDemoConfig({ port: await freePort(), rows, dataDir })
  await prepareDemoLogins(config, process.env)
  const engine = await openDemoLedger(config, rows)
  const log = createLog({ level: 'silent', destination: process.stderr })
  // Sixteen reports of a complete ledger take minutes on a slow machine.
  const patient = { ...config, engine: { ...config.engine, queueWaitSeconds: 600 } }
  const gateway = await startGateway(patient, engine, { log, environment: process.env })
  const operators = await addLogins(config, 'operator', OPERATORS)
  const merchants = await addLogins(config, 'merchant', MERCHANTS)
  return { gateway, engine, operators, merchants, ledger: join(dataDir, 'ledger') }
}

type Logins = readonly [DemoLogin, ...DemoLogin[]]

async function addLogins(config: Config, role: Role, count: number): Promise<Logins> {
  const first = await addLogin(config, role)
  const others: DemoLogin[] = []
  for (let added = 1; added < count; added += 1) others.push(await addLogin(config, role))
  return [first, ...others]
}

async function addLogin(config: Config, role: Role): Promise<DemoLogin> {
  const login = `bench-${randomBytes(6).toString('hex')}`
  const controlKey = makeControlKey(randomBytes)
  const context = { now: new Date(), randomBytes, foreignFingerprints: [] }
  const masterKeys = openMasterKeys(config.masterKeys, process.env)
  const store = await openStore(config)
  const createdAt = context.now
  await store.addLogin({
    name: login,
    role,
    sees: role === 'merchant' ? [MERCHANT_ID] : [],
    bodyHashRequired: false,
    createdAt,
  })
  await store.addKey(controlKeyOf(login, controlKey, masterKeys, context))
  await store.close()
  return { login, role, controlKey }
}
