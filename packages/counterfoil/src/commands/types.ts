import { typesOf } from '@counterfoil/client'
import type { Command } from 'commander'
import { addOptions } from '../add-options.ts'
import { GATEWAY_OPTIONS, type GatewayOptions } from '../connection/connection-options.ts'
import { withClient } from '../connection/with-client.ts'
import type { Dependencies, ProgramDependencies } from '../dependencies.ts'
import { EXIT_CODE_HELP, EXIT_CODES } from '../exit-codes.ts'
import { escapeControls } from '../print/json-line.ts'
import { runAction } from '../run-action.ts'

const NOTES = `
Example:
  counterfoil types > reports.d.ts

With this file in your program, the compiler knows the parameters, columns and
rows of each report that client.rows of @counterfoil/client reads.`

/** Adds `types`. */
export function addTypesCommand(program: Command, dependencies: ProgramDependencies): void {
  const command = program
    .command('types')
    .summary('print TypeScript types of your reports')
    .description('Prints TypeScript types of the reports that you may ask for.')
    .addHelpText('after', `${NOTES}\n${EXIT_CODE_HELP}`)
    .action((options) => runAction(command, dependencies, runTypes(options, dependencies)))
  addOptions(command, GATEWAY_OPTIONS)
}

async function runTypes(options: GatewayOptions, dependencies: Dependencies): Promise<number> {
  const { stdout, signal } = dependencies
  return await withClient(options, dependencies, async (client) => {
    stdout.write(escapeControls(typesOf(await client.catalogue({ signal }))))
    return EXIT_CODES.done
  })
}
