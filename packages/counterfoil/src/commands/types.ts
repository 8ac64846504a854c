import { typesOf } from '@counterfoil/client'
import type { CommandDescription } from '../command.ts'
import { type ConnectionOptions, GATEWAY_OPTIONS } from '../connection/settings.ts'
import { withClient } from '../connection/with-client.ts'
import type { Dependencies } from '../dependencies.ts'
import { EXIT_CODE_HELP, EXIT_CODES } from '../exit-codes.ts'
import { escapeControls } from '../print/json-line.ts'

const NOTES = `
Example:
  counterfoil types > reports.d.ts

With this file in your program, the compiler knows the parameters, columns and
rows of each report that client.rows of @counterfoil/client reads.`

/** The command `types`. */
export const TYPES: CommandDescription<ConnectionOptions> = {
  name: 'types',
  summary: 'print TypeScript types of your reports',
  description: 'Prints TypeScript types of the reports that you may ask for.',
  options: GATEWAY_OPTIONS,
  help: `${NOTES}\n${EXIT_CODE_HELP}`,
  run: runTypes,
}

async function runTypes(options: ConnectionOptions, dependencies: Dependencies): Promise<number> {
  const { stdout, signal } = dependencies
  return await withClient(options, dependencies, async (client) => {
    stdout.write(escapeControls(typesOf(await client.catalogue({ signal }))))
    return EXIT_CODES.done
  })
}
