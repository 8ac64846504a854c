import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { prepareDemoConsumers } from '../packages/gateway/src/commands/demo-consumers.ts'
import { openDemoLedger } from '../packages/gateway/src/commands/demo-ledger.ts'
import { prepareDemoConfig } from '../packages/gateway/src/commands/demo-settings.ts'
import type { Engine } from '../packages/gateway/src/engine/engine.ts'
import { type Gateway, startGateway } from '../packages/gateway/src/gateway.ts'
import { createLog } from '../packages/gateway/src/observe/log.ts'
import { type DemoConsumer } from '../packages/gateway/src/commands/demo-consumers.ts'

/** A gateway on a demo ledger, in this process. */
export interface BenchGateway {
  readonly gateway: Gateway
  readonly engine: Engine
  readonly consumers: readonly DemoConsumer[]
}

/** Opens a gateway on a ledger of so many rows, which is kept in `var/bench` for the next run. */
export async function openBenchGateway(rows: number): Promise<BenchGateway> {
  const dataDir = resolve(join('var', 'bench', String(rows)))
  const config = prepareDemoConfig({ port: await freePort(), rows, dataDir })
  const consumers = await prepareDemoConsumers(config, process.env)
  const engine = await openDemoLedger(config, rows)
  const log = createLog({ level: 'silent', destination: process.stderr })
  const gateway = await startGateway(config, engine, { log, environment: process.env })
  return { gateway, engine, consumers }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  if (address === null || typeof address === 'string') throw new Error('expected a TCP port')
  return address.port
}
