import { Option } from 'commander'
import type { CommandDescription } from '../command.ts'
import { type ConnectionOptions, GATEWAY_OPTIONS } from '../connection/settings.ts'
import { withClient } from '../connection/with-client.ts'
import type { Dependencies } from '../dependencies.ts'
import { EXIT_CODE_HELP, EXIT_CODES } from '../exit-codes.ts'
import { escapeControls } from '../print/json-line.ts'
import { printable } from '../print/print-outcome.ts'

interface ManifestOptions extends ConnectionOptions {
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

/** The command `manifest`. */
export const MANIFEST: CommandDescription<ManifestOptions> = {
  name: 'manifest',
  summary: 'print the manifest of a run',
  description: 'Prints the manifest of a run.',
  argument: ['<run>', 'id of the run'],
  options: [
    new Option('--signed', 'print it as a JWS that the gateway signed'),
    ...GATEWAY_OPTIONS,
  ],
  help: `${NOTES}\n${EXIT_CODE_HELP}`,
  run: runManifest,
}

async function runManifest(
  options: ManifestOptions,
  dependencies: Dependencies,
  run = '',
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
