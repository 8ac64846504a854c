import type { Config } from '../config/config.ts'
import { controlSocketFile } from '../config/config.ts'
import { type ControlSocket, openControlSocket } from '../control/open-control-socket.ts'
import type { Engine } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import type { Gateway } from '../gateway.ts'
import type { Log } from '../observe/log.ts'
import { findMissing, seenIdsSchema } from './find-missing.ts'

/** What takes the commands of its user, until it is closed. */
export interface CommandTaker {
  close(): Promise<void>
}

/**
 * Lets a running gateway take commands: `reload` and others on its control socket, and SIGHUP, which means `reload`.
 * Without a control socket, because its path is too long, the gateway serves all the same.
 */
export async function acceptCommands(
  config: Config,
  {
    gateway,
    engine,
    log,
  }: { readonly gateway: Gateway; readonly engine: Engine; readonly log: Log },
): Promise<CommandTaker> {
  // The log has the faults.
  const onHangUp = (): void => void gateway.reload().catch(() => {})
  process.on('SIGHUP', onHangUp)
  const commands = new Map<string, (input: unknown) => Promise<unknown>>([
    ['reload', () => gateway.reload()],
    ['find-missing', (input) => findMissing(engine, seenIdsSchema.parse(input))],
  ])
  let control: ControlSocket | undefined
  try {
    const onFailure = (error: unknown): void => log.error('a command failed', error)
    control = await openControlSocket(controlSocketFile(config), commands, onFailure)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    log.error('there is no control socket, so this gateway takes SIGHUP alone', error)
  }
  return {
    close: async () => {
      process.off('SIGHUP', onHangUp)
      process.on('SIGHUP', ignoreHangUp)
      await control?.close()
    },
  }
}

/** Keeps SIGHUP from ending a gateway that is about to start or to stop: it reads everything anyway, or no more. */
export function ignoreHangUp(): void {}
