import { once } from 'node:events'
import { askedRefusal } from '../authenticate/explain-refusal.ts'
import { type Config, controlSocketFile } from '../config/config.ts'
import { type ControlSession, openControlSocket } from '../control/control-server.ts'
import type { Engine } from '@counterfoil/engine'
import { type Gateway, startGateway, type GatewayDependencies } from '../serve/gateway.ts'
import type { Log } from '../observe/log.ts'
import { formatInstant, withoutCardNumber } from '@counterfoil/common'
import type { ImportRecord } from '@counterfoil/ledger'
import manifest from '../../package.json' with { type: 'json' }
import { scheduleSyncs } from './scheduled-syncs.ts'
import type { GatewayStatus } from './status.ts'
import { commandLedger, ledgerSession } from './command-ledger.ts'

/**
 * Starts a gateway on an engine, runs work on it, and closes it. From the start on it takes the operator's commands: on
 * its control socket, and SIGHUP, which means `reload`.
 */
export async function withGateway<T>(
  config: Config,
  engine: Engine,
  dependencies: GatewayDependencies,
  work: (gateway: Gateway) => Promise<T>,
): Promise<T> {
  const { log } = dependencies
  const startedMs = Date.now()
  const starting = startGateway(config, engine, dependencies)
  const reload = async () => await (await starting).reload()
  // The gateway has logged the faults.
  const onHangUp = (): void => void reload().catch(() => {})
  process.on('SIGHUP', onHangUp)
  const ledger = starting.then(({ ledgerChanges }) => {
    const { ownServer } = engine
    return { ...commandLedger(config, engine, ledgerChanges), ownServer }
  })
  const logImport = ({ id, table, taken, refused }: ImportRecord): void => {
    const text = `import ${id} of ${table}: ${taken} rows taken, ${refused} refused`
    log[refused > 0 ? 'warn' : 'info'](text)
  }
  const openSession = (leaving: AbortSignal): ControlSession => {
    const { commands, end } = ledgerSession(ledger, leaving, logImport)
    const ownCommands: ControlSession['commands'] = {
      reload,
      explain: async (input) => await (await starting).explain(askedRefusal.parse(input)),
      note: async (text) => log.info(withoutCardNumber(String(text))),
      status: async () => await statusOf(config, started, startedMs),
    }
    return { commands: { ...commands, ...ownCommands }, end }
  }
  let started: Gateway | undefined
  // The `await` below reports a failed start.
  ledger.catch(() => {})
  const closeControl = await openControl(config, openSession, log)
  let closeSyncs = async (): Promise<void> => {}
  try {
    const gateway = await starting
    started = gateway
    closeSyncs = scheduleSyncs(config, await ledger, log)
    return await work(gateway)
  } finally {
    process.off('SIGHUP', onHangUp)
    // A command may need a moment to end. The gateway takes no report meanwhile.
    await closeSyncs()
    const closed = starting.then(
      (gateway) => gateway.close(),
      () => {},
    )
    await Promise.all([closeControl(), closed])
  }
}

async function statusOf(
  config: Config,
  started: Gateway | undefined,
  startedMs: number,
): Promise<GatewayStatus> {
  const startedAt = `${formatInstant(startedMs).slice(0, 19)} UTC`
  const status = { pid: process.pid, version: manifest.version, startedAt }
  if (!started) return status
  const { reportUrl, readings } = started
  const outboxLagSeconds = config.payments && (await readings.outboxLagSeconds())
  return { ...status, serving: { reportUrl, ...readings.load(), outboxLagSeconds } }
}

/**
 * Keeps SIGHUP from ending a gateway that starts or stops. A starting gateway reads the report files anyway, and a
 * stopping one no longer needs them.
 */
export function ignoreHangUp(): void {}

/**
 * Handles SIGINT and SIGTERM from now on, and waits for the first of them. A second signal ends the process at once,
 * which is Node's default.
 */
export async function waitForStopSignal(): Promise<void> {
  const received = new AbortController()
  const { signal } = received
  await Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })])
  received.abort()
}

/** Opens the control socket. If its path is too long, the gateway runs without it. */
async function openControl(
  config: Config,
  openSession: (leaving: AbortSignal) => ControlSession,
  log: Log,
): Promise<() => Promise<void>> {
  try {
    const onFailure = (error: unknown): void => log.error('a command failed', error)
    return await openControlSocket(controlSocketFile(config), openSession, onFailure)
  } catch (error) {
    log.error('cannot open the control socket; use SIGHUP to reload this gateway', error)
    return async () => {}
  }
}
