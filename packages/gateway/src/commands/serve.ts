import type { Command } from 'commander'
import { loadConfig } from '../config/config.ts'
import { openEngine, startGateway } from '../gateway.ts'
import { createLog, openLogDestination } from '../observe/log.ts'
import { acceptCommands, ignoreHangUp } from './accept-commands.ts'
import { addConfigOption } from './config-option.ts'
import { untilToldToStop } from './until-told-to-stop.ts'

const STDOUT = 1

/** Adds `serve`: the gateway, until a signal stops it. */
export function addServeCommand(program: Command): void {
  const serve = program
    .command('serve')
    .summary('run the gateway')
    .description(
      'Runs the gateway and writes its log to stdout, one JSON object per line. SIGTERM and SIGINT stop it: ' +
        'running reports may end first. SIGHUP does the same as the command "reload".',
    )
  addConfigOption(serve)
    .addHelpText('after', '\nExample:\n  counterfoil-gateway serve --config gateway.yaml')
    .action(async (options: { config: string }) => {
      const config = loadConfig(options.config)
      process.on('SIGHUP', ignoreHangUp)
      const destination = openLogDestination(STDOUT)
      const log = createLog({ level: config.log.level, destination })
      const engine = await openEngine(config, (step) => log.info(step))
      const gateway = await startGateway(config, engine, { log, environment: process.env })
      const commands = await acceptCommands(config, { gateway, engine, log })
      await untilToldToStop()
      log.info('stopping')
      await commands.close()
      await gateway.close()
      log.info('stopped')
    })
}
