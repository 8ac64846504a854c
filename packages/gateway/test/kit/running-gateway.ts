import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { withGateway } from '../../src/commands/with-gateway.ts'
import { loadConfig } from '../../src/config/config.ts'
import { type Engine, readRows } from '../../../engine/src/engine/engine.ts'
import type { Gateway } from '../../src/serve/gateway.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { createLog, type LogLevel } from '../../src/observe/log.ts'
import type { Sandbox } from './sandbox.ts'

/** Starts a gateway of a sandbox in this process. `change` differs from the usual configuration. */
export async function serve(sandbox: Sandbox, change: object = {}, level: LogLevel = 'debug') {
  const file = await sandbox.writeConfig(change)
  const config = loadConfig(file)
  const written: string[] = []
  const log = createLog({ level, destination: { write: (line) => void written.push(line) } })
  const engine = await openEngine(config)
  const started = Promise.withResolvers<Gateway>()
  const stopping = Promise.withResolvers<void>()
  const running = withGateway(config, engine, { log, environment: {} }, async (gateway) => {
    started.resolve(gateway)
    await stopping.promise
  })
  running.catch(started.reject)
  const { reportUrl, address } = await started.promise
  sandbox.keepChecks()
  const close = async (): Promise<void> => {
    const leaked = await rowsWithCards(engine, sandbox)
    stopping.resolve()
    await running
    if (leaked > 0) throw new Error(`expected nothing of a card, found ${leaked} rows`)
    expectNoSecret(written.join(''), sandbox)
  }
  let closed: Promise<void> | undefined
  return {
    sandbox,
    /** The path of its configuration. */
    config: file,
    reportUrl,
    port: address.port,
    /** The gateway's own engine, to inspect the ledger and running queries. */
    engine,
    /** The log so far. */
    log: () => written.join(''),
    /** The lines of the log so far, parsed. */
    lines: (): Readonly<Record<string, unknown>>[] => written.map((line) => JSON.parse(line)),
    /** Stops the gateway. Throws if a secret of the sandbox is in the log, or card data in the ledger. */
    close: async () => await (closed ??= close()),
  }
}

/** A gateway that serves in this process, and takes the operator's commands. */
export type RunningGateway = Readonly<Awaited<ReturnType<typeof serve>>>

/** Throws if a log contains a control key, or a signature, nonce, base string or body that `ask` sent. */
export function expectNoSecret(log: string, { secrets }: Sandbox): void {
  const leaked = [...secrets].filter((secret) => log.includes(secret))
  if (leaked.length > 0) throw new Error(`expected no secret in the log, found ${leaked[0]}`)
}

/** Counts transactions of operations with a card number in any text, or with a verification value as a text. */
export async function rowsWithCards(
  engine: Engine,
  { cardNumbers, cvvs }: Pick<Sandbox, 'cardNumbers' | 'cvvs'>,
): Promise<number> {
  const patterns = [...cardNumbers, ...[...cvvs].map((cvv) => `'${cvv}'`)]
  if (patterns.length === 0) return 0
  const sql = `SELECT count() AS count FROM transactions
    WHERE toInt64(order_id) > 2000000000000000000 AND match(toString(tuple(*)), {pattern:String})`
  const parameters = { pattern: patterns.join('|') }
  const [row] = await readRows(engine, z.object({ count: z.coerce.number() }), { sql, parameters })
  return row?.count ?? 0
}

/** Counts the queries of the gateway, without the counting query. */
export async function countQueries(engine: Engine): Promise<number> {
  const sql = `SELECT count() AS count FROM system.processes
    WHERE user = currentUser() AND query NOT LIKE '%system.processes%'`
  const [row] = await readRows(engine, z.object({ count: z.coerce.number() }), {
    sql,
    parameters: {},
  })
  return row?.count ?? 0
}

/**
 * Waits until `count` queries run, and returns the time in milliseconds.
 *
 * @throws after a minute
 */
export async function untilRunning(engine: Engine, count: number): Promise<number> {
  const startedAt = performance.now()
  while ((await countQueries(engine)) !== count) {
    const waitedMs = performance.now() - startedAt
    if (waitedMs > 60_000) throw new Error(`expected ${count} queries to run`)
    await sleep(10)
  }
  return performance.now() - startedAt
}
