import type { Command } from 'commander'
import { loadConfig } from '../config/config.ts'
import { openEngine, startGateway } from '../gateway.ts'
import { createLog, openLogDestination } from '../observe/log.ts'
import { untilToldToStop } from './until-told-to-stop.ts'

const STDOUT = 1

/** Adds `serve`: the gateway, until it is told to stop. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description(
      'serve reports until SIGTERM or SIGINT, which lets running ones end first; SIGHUP reads the report files again',
    )
    .requiredOption('--config <file>', 'the configuration')
    .action(async (options: { config: string }) => {
      const config = loadConfig(options.config)
      const destination = openLogDestination(STDOUT)
      const log = createLog({ level: config.log.level, destination })
      const engine = await openEngine(config)
      const gateway = await startGateway(config, engine, { log, environment: process.env })
      process.on('SIGHUP', () => void gateway.reloadReports())
      await untilToldToStop()
      log.info('stopping')
      await gateway.close()
      log.info('stopped')
    })
}
