import { access, constants } from 'node:fs/promises'
import { readJwks } from '@counterfoil/client'
import { Option } from 'commander'
import type { JSONWebKeySet } from 'jose'
import type { CommandDescription } from '../command.ts'
import { type ConnectionOptions, GATEWAY_OPTIONS } from '../connection/settings.ts'
import { readAddress } from '../connection/read-connection.ts'
import { readText } from '../connection/read-text.ts'
import { withClient } from '../connection/with-client.ts'
import type { Dependencies } from '../dependencies.ts'
import { EXIT_CODE_HELP, EXIT_CODES } from '../exit-codes.ts'
import { endWithError } from '../print/end-with-error.ts'
import { jsonLine } from '../print/json-line.ts'
import { printableLine } from '../print/print-outcome.ts'
import { UsageError } from '../usage-error.ts'
import { type Comparison, compareFile } from '../verify/compare-file.ts'
import {
  ForeignManifest,
  type KnownManifest,
  parseKeys,
  readManifest,
} from '../verify/read-manifest.ts'

interface VerifyOptions extends ConnectionOptions {
  readonly manifest?: string
  readonly run?: string
  readonly jwks?: string
  readonly json?: boolean
}

const NOTES = `
Examples:
  counterfoil verify may.csv --run 5d1f1c1e-6a53-4c39-b1a4-5b1bbd1f2d0e
  counterfoil verify may.csv --manifest may.jws
  counterfoil verify may.csv --manifest may.jws --jwks keys.json

The command compares the bytes, the SHA-256 and the rows of the file with the
manifest: the JSON or the JWS that counterfoil manifest prints. The public keys
for a JWS come from --jwks, or from the gateway: neither needs a key of yours.
Exit code 6 means that the file or the signature does not agree.`

/** The command `verify`. */
export const VERIFY: CommandDescription<VerifyOptions> = {
  name: 'verify',
  summary: 'compare a saved report with its manifest',
  description: 'Compares a saved report with the manifest of its run.',
  argument: ['<file>', 'the report, as the gateway sent it'],
  options: [
    new Option('--manifest <file>', 'saved manifest of the run: JSON or JWS'),
    new Option('--run <run>', 'ask the gateway for the manifest of this run'),
    new Option('--jwks <file>', "the gateway's public keys, from /.well-known/jwks.json"),
    new Option('--json', 'print the result as one line of JSON'),
    ...GATEWAY_OPTIONS,
  ],
  help: `${NOTES}\n${EXIT_CODE_HELP}`,
  run: runVerify,
}

async function runVerify(
  options: VerifyOptions,
  dependencies: Dependencies,
  file = '',
): Promise<number> {
  const { manifest, run } = options
  if ((manifest === undefined) === (run === undefined)) {
    throw new UsageError('use one of --manifest and --run')
  }
  await access(file, constants.R_OK).catch((cause: Error) => {
    throw new UsageError(`cannot read ${file}: ${cause.message}`)
  })
  if (run !== undefined) {
    return await withClient(options, dependencies, async (client) => {
      const known = { run: await client.manifest(run, dependencies), keyId: undefined }
      return await compare(
        file,
        known,
        'The manifest comes from the gateway.',
        options,
        dependencies,
      )
    })
  }
  return await verifySaved(file, manifest ?? '', options, dependencies)
}

async function verifySaved(
  file: string,
  manifest: string,
  options: VerifyOptions,
  dependencies: Dependencies,
): Promise<number> {
  const text = await readText(manifest, '--manifest')
  let ca: string | undefined
  let endpoint = ''
  const readKeys = async (): Promise<JSONWebKeySet> => {
    if (options.jwks !== undefined)
      return parseKeys(await readText(options.jwks, '--jwks'), '--jwks')
    const address = await readAddress(options, dependencies)
    ca = address.ca
    endpoint = address.endpoint
    const { signal } = dependencies
    return parseKeys(await readJwks(new URL(endpoint), { ca, signal }), endpoint)
  }
  try {
    const known = await readManifest(text, readKeys)
    const source =
      known.keyId === undefined
        ? 'The manifest is not signed: whoever changed the file may have changed the manifest.'
        : `The manifest is signed by the gateway's key ${known.keyId}.`
    return await compare(file, known, source, options, dependencies)
  } catch (error) {
    if (error instanceof ForeignManifest) {
      const { stderr, stdout } = dependencies
      stderr.write(`${printableLine(`counterfoil: ${error.message}`)}\n`)
      if (options.json) stdout.write(jsonLine({ ok: false, message: error.message }))
      return EXIT_CODES.incomplete
    }
    if (error instanceof UsageError) throw error
    const url = { option: '--endpoint', value: endpoint } as const
    return await endWithError(error, { url, ca, json: options.json }, dependencies)
  }
}

async function compare(
  file: string,
  { run, keyId }: KnownManifest,
  source: string,
  { json }: VerifyOptions,
  { stdout }: Dependencies,
): Promise<number> {
  const comparison = await compareFile(file, run)
  const { verified, findings } = comparison
  if (json) {
    stdout.write(jsonLine({ ok: verified, file, keyId, findings, manifest: run }))
  } else {
    stdout.write(describe(file, comparison, run, source))
  }
  return verified ? EXIT_CODES.done : EXIT_CODES.incomplete
}

function describe(
  file: string,
  { verified, findings }: Comparison,
  { runId, reportIdentifier, login, startedAt }: KnownManifest['run'],
  source: string,
): string {
  const verdict = `${file} ${verified ? 'is' : 'is not'} the file of run ${runId}.`
  const asked = `Report ${reportIdentifier} for ${login}, ${startedAt}.`
  return [verdict, ...findings, asked, source].map((line) => `${printableLine(line)}\n`).join('')
}
