import { afterAll } from 'vitest'
import { withGateway } from '../../src/commands/with-gateway.ts'
import { loadConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/observe/log.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import type { Sandbox } from './sandbox.ts'
import { useSandbox } from './served-sandbox.ts'

/** A gateway that serves in this process, and takes the operator's commands. */
export interface CommandedGateway {
  readonly sandbox: Sandbox
  /** The path of its configuration. */
  readonly config: string
  readonly reportUrl: string
  readonly port: number
  /** The log so far. */
  readonly log: () => string
  close(): Promise<void>
}

/** Serves a new sandbox with a control socket until the last test of the file has run. */
export async function serveCommands(rows: number, change: object): Promise<CommandedGateway> {
  const gateway = await serveWithCommands(await useSandbox(rows), change)
  afterAll(() => gateway.close())
  return gateway
}

/** Starts a gateway of a sandbox in this process, with a control socket. */
export async function serveWithCommands(
  sandbox: Sandbox,
  change: object = {},
): Promise<CommandedGateway> {
  const file = await sandbox.writeConfig(change)
  const config = loadConfig(file)
  const written: string[] = []
  const destination = { write: (line: string) => void written.push(line) }
  const log = createLog({ level: config.log.level, destination })
  const engine = await openEngine(config)
  const stopping = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const running = withGateway(config, engine, { log, environment: {} }, () => {
    started.resolve()
    return stopping.promise
  })
  await Promise.race([started.promise, running])
  sandbox.keepChecks()
  return {
    sandbox,
    config: file,
    reportUrl: config.publicUrl + config.reportPath,
    port: config.listen.port,
    log: () => written.join(''),
    close: async () => {
      stopping.resolve()
      await running
    },
  }
}
