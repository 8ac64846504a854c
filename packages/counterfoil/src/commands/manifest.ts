import { type Command, Option } from 'commander'
import { addOptions } from '../add-options.ts'
import { GATEWAY_OPTIONS, type GatewayOptions } from '../connection/connection-options.ts'
import { withClient } from '../connection/with-client.ts'
import type { Dependencies, ProgramDependencies } from '../dependencies.ts'
import { EXIT_CODE_HELP, EXIT_CODES } from '../exit-codes.ts'
import { escapeControls } from '../print/json-line.ts'
import { printable } from '../print/print-outcome.ts'
import { runAction } from '../run-action.ts'

interface ManifestOptions extends GatewayOptions {
  readonly signed?: boolean
}

const NOTES = `
Examples:
  counterfoil manifest 5d1f1c1e-6a53-4c39-b1a4-5b1bbd1f2d0e > may.json
  counterfoil manifest 5d1f1c1e-6a53-4c39-b1a4-5b1bbd1f2d0e --signed > may.jws

The manifest of a run says who asked for what, and the rows, the SHA-256 and the
totals of the file. With --signed it is a JWS: anybody with the gateway's public
key can check it years later, with counterfoil verify. RUN is the id that
counterfoil report and counterfoil runs print.`

/** Adds `manifest`. */
export function addManifestCommand(program: Command, dependencies: ProgramDependencies): void {
  const command = program
    .command('manifest')
    .summary('print the manifest of a run')
    .description('Prints the manifest of a run.')
    .argument('<run>', 'id of the run')
    .addHelpText('after', `${NOTES}\n${EXIT_CODE_HELP}`)
    .action((run, options) =>
      runAction(command, dependencies, runManifest(run, options, dependencies)),
    )
  addOptions(command, [
    new Option('--signed', 'print it as a JWS that the gateway signed'),
    ...GATEWAY_OPTIONS,
  ])
}

async function runManifest(
  run: string,
  options: ManifestOptions,
  dependencies: Dependencies,
): Promise<number> {
  const { stdout, signal } = dependencies
  return await withClient(options, dependencies, async (client) => {
    const manifest = options.signed
      ? printable(await client.signedManifest(run, { signal }))
      : escapeControls(JSON.stringify(await client.manifest(run, { signal }), undefined, 2))
    stdout.write(`${manifest}\n`)
    return EXIT_CODES.done
  })
}
