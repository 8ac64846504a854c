import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readJwks, type Run } from '@counterfoil/client'
import { conforms, runSchema } from '@counterfoil/protocol'
import { Option } from 'commander'
import { compactVerify, createLocalJWKSet, errors } from 'jose'
import { readAddress, withClient } from '../connection/read-connection.ts'
import { type ConnectionOptions, GATEWAY_OPTIONS } from '../connection/settings.ts'
import {
  type CommandDescription,
  type Dependencies,
  EXIT_CODE_HELP,
  EXIT_CODES,
  UsageError,
} from '../command.ts'
import { endWithError } from '../print/end-with-error.ts'
import { countOf, jsonLine, printableLine } from '../print/text.ts'
import { readText } from '../files.ts'

interface VerifyOptions extends ConnectionOptions {
  readonly manifest?: string
  readonly run?: string
  readonly jwks?: string
}

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
  help: `
Examples:
  counterfoil verify may.csv --run 5d1f1c1e-6a53-4c39-b1a4-5b1bbd1f2d0e
  counterfoil verify may.csv --manifest may.jws
  counterfoil verify may.csv --manifest may.jws --jwks keys.json

The command compares the bytes and the SHA-256 of the file with the manifest:
the JSON or the JWS that counterfoil manifest prints. The public keys for a JWS
come from --jwks, or from the gateway: neither needs a key of yours. Exit code 6
means that the file or the signature does not agree.
${EXIT_CODE_HELP}`,
  async run(options, dependencies, file = '') {
    const { manifest, run, json } = options
    if ((manifest === undefined) === (run === undefined)) {
      throw new UsageError('use one of --manifest and --run')
    }
    const measured = await measure(file)
    const end = (known: KnownManifest) => {
      const { ok, findings, lines } = judge(file, measured, known)
      const content = { ok, file, keyId: known.keyId, findings, manifest: known.run }
      const text = [...lines, known.source].map((line) => `${printableLine(line)}\n`).join('')
      dependencies.stdout.write(json ? jsonLine(content) : text)
      return ok ? EXIT_CODES.done : EXIT_CODES.incomplete
    }
    if (run !== undefined) {
      return await withClient(options, dependencies, async (client) => {
        const source = 'The manifest comes from the gateway.'
        return end({ run: await client.manifest(run, dependencies), source })
      })
    }
    const text = (await readText(manifest ?? '', '--manifest')).trim()
    if (text.split('.').length !== 3 || text.startsWith('{')) {
      const source = 'The manifest is not signed: whoever changed the file may have changed it too.'
      return end({ run: parseRun(text), source })
    }
    try {
      const keys = await readKeys(options, dependencies)
      const algorithms = ['EdDSA', 'Ed25519']
      const { payload, protectedHeader } = await compactVerify(text, keys, { algorithms })
      const { kid: keyId } = protectedHeader
      const source = `The manifest is signed by the gateway's key ${keyId}.`
      return end({ run: parseRun(new TextDecoder().decode(payload)), keyId, source })
    } catch (error) {
      if (error instanceof errors.JOSEError) {
        return end({ source: `The signature of the manifest is not valid: ${error.message}.` })
      }
      if (error instanceof UsageError) throw error
      const { endpoint, ca } = await readAddress(options, dependencies)
      return await endWithError(error, { endpoint, ca, json }, dependencies)
    }
  },
}

interface KnownManifest {
  /** Undefined if the signature of the manifest is not valid. */
  readonly run?: Run
  readonly keyId?: string | undefined
  /** The same as a sentence. */
  readonly source: string
}

async function readKeys({ jwks, ...options }: VerifyOptions, dependencies: Dependencies) {
  let text: string
  if (jwks === undefined) {
    const { endpoint, ca } = await readAddress(options, dependencies)
    text = await readJwks(new URL(endpoint), { ca, signal: dependencies.signal })
  } else {
    text = await readText(jwks, '--jwks')
  }
  try {
    return createLocalJWKSet(JSON.parse(text))
  } catch (cause) {
    throw new UsageError('--jwks: expected a JSON Web Key Set, {"keys": [...]}', { cause })
  }
}

function parseRun(text: string): Run {
  try {
    const value: unknown = JSON.parse(text)
    if (conforms(runSchema, value)) return value
  } catch {
    // The error below says the same.
  }
  throw new UsageError('--manifest: expected the JSON or the JWS that counterfoil manifest prints')
}

async function measure(file: string) {
  const hash = createHash('sha256')
  const stream = createReadStream(file)
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) hash.update(chunk)
  } catch (cause) {
    throw new UsageError(`cannot read ${file}: ${String(cause)}`, { cause })
  }
  return { bytes: stream.bytesRead, sha256: hash.digest('base64') }
}

type Measured = Awaited<ReturnType<typeof measure>>

/** Compares a file with the manifest of its run. Says in sentences what agrees, or what differs. */
function judge(file: string, { bytes, sha256 }: Measured, { run, source }: KnownManifest) {
  if (!run) return { ok: false, findings: [source], lines: [] }
  const { file: sent, outcome, runId, reportIdentifier, login, startedAt } = run
  const ok = sha256 === sent?.sha256 && bytes === sent.bytes
  const found = countOf(bytes, 'byte', 'bytes')
  const findings: string[] = []
  if (!sent) {
    findings.push(`The manifest has no file: the run's outcome is ${outcome}, not complete.`)
  } else if (ok) {
    findings.push(`${countOf(sent.rows, 'row', 'rows')} and ${found}; the SHA-256 agrees.`)
  } else {
    const coding = sent.contentCoding === undefined ? '' : `, compressed with ${sent.contentCoding}`
    const sentBytes = countOf(sent.bytes, 'byte', 'bytes') + coding
    if (bytes !== sent.bytes) findings.push(`The file has ${found}; the gateway sent ${sentBytes}.`)
    findings.push('The SHA-256 of the file is another.')
  }
  const verdict = `${file} ${ok ? 'is' : 'is not'} the file of run ${runId}.`
  const asked = `Report ${reportIdentifier} for ${login}, ${startedAt}.`
  return { ok, findings, lines: [verdict, ...findings, asked] }
}
