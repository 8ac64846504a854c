import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import {
  type DemoConsumer,
  prepareDemoConsumers,
} from '../packages/gateway/src/commands/demo-consumers.ts'
import { openDemoLedger } from '../packages/gateway/src/commands/demo-ledger.ts'
import { prepareDemoConfig } from '../packages/gateway/src/commands/demo-settings.ts'
import { type Config, storeFile } from '../packages/gateway/src/config/config.ts'
import type { Engine } from '../packages/gateway/src/engine/engine.ts'
import { type Gateway, startGateway } from '../packages/gateway/src/gateway.ts'
import { createLog } from '../packages/gateway/src/observe/log.ts'
import { controlKeyOf, makeControlKey } from '../packages/gateway/src/store/credentials.ts'
import { openMasterKeys } from '../packages/gateway/src/store/seal.ts'
import { openSqliteStore } from '../packages/gateway/src/store/sqlite-store.ts'
import { freePort } from './free-port.ts'

/** A gateway on a demo ledger, in this process. */
export interface BenchGateway {
  readonly gateway: Gateway
  readonly engine: Engine
  /** Who sees everything. */
  readonly operator: DemoConsumer
  /** Who sees one merchant, that of `MERCHANT_ID`. */
  readonly merchant: DemoConsumer
  /** The ledger's folder. */
  readonly ledger: string
}

/** A merchant whose days have about a hundred rows in a ledger of 5,000,000. */
export const MERCHANT_ID = 10

/** Where the gateway on a ledger of so many rows keeps everything. */
export function benchFolder(rows: number): string {
  return resolve('var', 'bench', String(rows))
}

/** Opens a gateway on a ledger of so many rows, which is kept in its folder for the next run. */
export async function openBenchGateway(rows: number): Promise<BenchGateway> {
  const dataDir = benchFolder(rows)
  const config = prepareDemoConfig({ port: await freePort(), rows, dataDir })
  const consumers = await prepareDemoConsumers(config, process.env)
  const engine = await openDemoLedger(config, rows)
  const log = createLog({ level: 'silent', destination: process.stderr })
  const gateway = await startGateway(config, engine, { log, environment: process.env })
  const operator = consumers.find(({ role }) => role === 'operator')
  if (!operator) throw new Error('expected an operator among the logins of the demo')
  const merchant = await addMerchant(config)
  return { gateway, engine, operator, merchant, ledger: join(dataDir, 'ledger') }
}

async function addMerchant(config: Config): Promise<DemoConsumer> {
  const login = `bench-${randomBytes(6).toString('hex')}`
  const controlKey = makeControlKey(randomBytes)
  const context = { now: new Date(), randomBytes, foreignFingerprints: [] }
  const masterKeys = openMasterKeys(config.masterKeys, process.env)
  const store = openSqliteStore(storeFile(config))
  const createdAt = context.now
  await store.addConsumer({
    login,
    role: 'merchant',
    sees: [MERCHANT_ID],
    bodyHashRequired: false,
    createdAt,
  })
  await store.addKey(controlKeyOf(login, controlKey, masterKeys, context))
  await store.close()
  return { login, role: 'merchant', controlKey }
}
