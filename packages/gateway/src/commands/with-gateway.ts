import { once } from 'node:events'
import { askedRefusal } from '../authenticate/explain-refusal.ts'
import { type Config, controlSocketFile } from '../config/config.ts'
import {
  type CommandRun,
  type ControlCommands,
  type ControlSocket,
  openControlSocket,
} from '../control/open-control-socket.ts'
import type { Engine } from '@counterfoil/engine'
import { type Gateway, startGateway, type GatewayDependencies } from '../serve/gateway.ts'
import type { Log } from '../observe/log.ts'
import { formatInstant, withoutCardNumber } from '@counterfoil/common'
import manifest from '../../package.json' with { type: 'json' }
import { serveLedger } from './remote-ledger.ts'
import { type ScheduledSyncs, scheduleSyncs } from './scheduled-syncs.ts'
import type { GatewayStatus } from './status.ts'
import { type CommandLedger, commandLedger } from './command-ledger.ts'

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
  const startedAt = new Date()
  const starting = startGateway(config, engine, dependencies)
  const reload = async () => await (await starting).reload()
  // The gateway has logged the faults.
  const onHangUp = (): void => void reload().catch(() => {})
  process.on('SIGHUP', onHangUp)
  let opened: CommandLedger | undefined
  const openLedger = ({ ledgerChanges }: Gateway): CommandLedger => {
    opened ??= commandLedger(config, engine, ledgerChanges)
    return opened
  }
  const ledger = async (_: unknown, run: CommandRun): Promise<void> => {
    const served = { ...openLedger(await starting), ownServer: engine.ownServer }
    await serveLedger(served, run, ({ id, table, taken, refused }) => {
      const text = `import ${id} of ${table}: ${taken} rows taken, ${refused} refused`
      log[refused > 0 ? 'warn' : 'info'](text)
    })
  }
  const commands: ControlCommands = new Map<
    string,
    (input: unknown, run: CommandRun) => Promise<unknown>
  >([
    ['reload', reload],
    ['ledger', ledger],
    ['explain', async (input) => await (await starting).explain(askedRefusal.parse(input))],
    ['note', async (text) => log.info(withoutCardNumber(String(text)))],
    ['status', async () => await statusOf(config, started, startedAt)],
  ])
  let started: Gateway | undefined
  // The `await` below reports a failed start.
  starting.then(
    (gateway) => (started = gateway),
    () => {},
  )
  const control = await openControl(config, commands, log)
  let syncs: ScheduledSyncs | undefined
  try {
    const gateway = await starting
    syncs = scheduleSyncs(config, openLedger(gateway), log)
    return await work(gateway)
  } finally {
    process.off('SIGHUP', onHangUp)
    // A command may need a moment to end. The gateway takes no report meanwhile.
    await syncs?.close()
    const closed = starting.then(
      (gateway) => gateway.close(),
      () => {},
    )
    await Promise.all([control?.close(), closed])
  }
}

async function statusOf(
  config: Config,
  started: Gateway | undefined,
  startedAt: Date,
): Promise<GatewayStatus> {
  const status = {
    pid: process.pid,
    version: manifest.version,
    startedAt: `${formatInstant(startedAt.getTime()).slice(0, 19)} UTC`,
  }
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
  commands: ControlCommands,
  log: Log,
): Promise<ControlSocket | undefined> {
  try {
    const onFailure = (error: unknown): void => log.error('a command failed', error)
    return await openControlSocket(controlSocketFile(config), commands, onFailure)
  } catch (error) {
    log.error('cannot open the control socket; use SIGHUP to reload this gateway', error)
    return undefined
  }
}
