import type { Command } from 'commander'
import { loadConfig } from '../config/config.ts'
import { openEngine } from '../serve/open-engine.ts'
import { createLog, openLogDestination } from '../observe/log.ts'
import { checkStart } from './check-start.ts'
import { waitForStopSignal } from './wait-for-stop-signal.ts'
import { warnOfLeftLedger } from './warn-of-left-ledger.ts'
import { ignoreHangUp, withGateway } from './with-gateway.ts'
import { addCommand } from './config-option.ts'

const STDOUT = 1

/** Adds `serve`, which runs the gateway until a signal stops it. */
export function addServeCommand(program: Command): void {
  addCommand(program, 'serve', {
    summary: 'run the gateway',
    description:
      'Runs the gateway and writes its log to stdout, one JSON object per line. SIGTERM and SIGINT stop the gateway: ' +
      'running reports have some seconds to end. SIGHUP does the same as the command "reload".',
    examples: ['serve --config gateway.yaml'],
  }).action(async (options: { config: string }) => {
    const config = loadConfig(options.config)
    process.on('SIGHUP', ignoreHangUp)
    const destination = openLogDestination(STDOUT)
    const log = createLog({ level: config.log.level, destination })
    const dependencies = { log, environment: process.env }
    await checkStart(config, dependencies)
    const engine = await openEngine(
      config,
      (step) => log.info(step),
      (reason) => log.error('The engine has ended. It starts again', new Error(reason)),
    )
    await warnOfLeftLedger(config, engine, log)
    // A signal during the start stops the gateway after the start, so that it leaves nothing behind.
    const stopping = waitForStopSignal().then(() => log.info('stopping'))
    await withGateway(config, engine, dependencies, async () => await stopping)
    log.info('stopped')
  })
}
