import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { createRowCounter, isRun, readJwks, type Run, type RunFile } from '@counterfoil/client'
import { Option } from 'commander'
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose'
import type { CommandDescription } from '../command.ts'
import { readAddress, withClient } from '../connection/read-connection.ts'
import { type ConnectionOptions, GATEWAY_OPTIONS } from '../connection/settings.ts'
import type { Dependencies } from '../dependencies.ts'
import { EXIT_CODE_HELP, EXIT_CODES } from '../exit-codes.ts'
import { endWithError } from '../print/end-with-error.ts'
import { countOf, formatCount, jsonLine, printableLine } from '../print/text.ts'
import { readText } from '../read-text.ts'
import { UsageError } from '../usage-error.ts'

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

/** What a file holds. */
interface Measured {
  readonly bytes: number
  readonly sha256: string
  /** Undefined if the file is not CSV. */
  readonly rows: number | undefined
}

/** How a file compares with the manifest of its run. */
interface Comparison {
  readonly verified: boolean
  /** What was compared, or what differs: a sentence each. */
  readonly findings: readonly string[]
}

/** The name of one and of many. */
type Unit = readonly [one: string, many: string]

const ROWS: Unit = ['row', 'rows']
const BYTES: Unit = ['byte', 'bytes']

/** Reads a file once, and compares its bytes, its SHA-256 and its rows with a manifest. */
async function compareFile(file: string, { file: sent, outcome }: Run): Promise<Comparison> {
  if (!sent) {
    const finding = `The manifest has no file: the run's outcome is ${outcome}, not complete.`
    return { verified: false, findings: [finding] }
  }
  const found = await measure(file, sent)
  if (found.sha256 === sent.sha256 && found.bytes === sent.bytes) {
    const size = `${countOf(sent.rows, ...ROWS)} and ${countOf(sent.bytes, ...BYTES)}`
    return { verified: true, findings: [`${size}; the SHA-256 agrees.`] }
  }
  if (sent.contentCoding !== undefined) return compareDecoded(found, sent, sent.contentCoding)
  const findings = [
    ...differ(BYTES, found.bytes, sent.bytes),
    ...differ(ROWS, found.rows, sent.rows),
    'The SHA-256 of the file is another.',
  ]
  return { verified: false, findings }
}

/** The digest of a compressed report covers the compressed bytes (RFC 9530), which a decompressed file lacks. */
function compareDecoded({ rows }: Measured, sent: RunFile, coding: string): Comparison {
  const why = `The manifest has the SHA-256 of the bytes as they were sent, compressed with ${coding}.`
  const differences = differ(ROWS, rows, sent.rows)
  const what =
    differences.length === 0 ? ['The file is not compressed, so its bytes prove nothing.'] : []
  return { verified: false, findings: [why, ...what, ...differences] }
}

function differ(unit: Unit, found: number | undefined, sent: number): readonly string[] {
  if (found === undefined || found === sent) return []
  return [`The file has ${countOf(found, ...unit)}; the gateway sent ${formatCount(sent)}.`]
}

async function measure(file: string, { contentType }: RunFile): Promise<Measured> {
  const hash = createHash('sha256')
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]+)/i.exec(contentType) ?? []
  const isCsv = /^text\/csv\b/i.test(contentType)
  const hasHeader = !/;\s*header=absent/i.test(contentType)
  const counter = isCsv ? createRowCounter({ hasHeader, charset }) : undefined
  let bytes = 0
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    counter?.push(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('base64'), rows: counter?.rows() }
}

/** A manifest, and how it is known to be the gateway's. */
interface KnownManifest {
  readonly run: Run
  /** The id of the key that signed the manifest. Undefined if the manifest is not signed. */
  readonly keyId: string | undefined
}

/** The signature of a manifest is not the gateway's. */
class ForeignManifest extends Error {
  override readonly name = 'ForeignManifest'
}

/**
 * Reads a saved manifest: JSON, or a JWS.
 *
 * @param readKeys returns the gateway's public keys; only a JWS needs them
 * @throws {UsageError} if the text is no manifest
 * @throws {ForeignManifest} if none of the keys signed the JWS
 */
async function readManifest(
  text: string,
  readKeys: () => Promise<JSONWebKeySet>,
): Promise<KnownManifest> {
  const trimmed = text.trim()
  if (trimmed.startsWith('{')) return { run: parseRun(trimmed), keyId: undefined }
  if (trimmed.split('.').length !== 3) throw notManifest()
  const keys = createLocalJWKSet(await readKeys())
  try {
    const { payload, protectedHeader } = await compactVerify(trimmed, keys, {
      algorithms: ['EdDSA', 'Ed25519'],
    })
    return { run: parseRun(new TextDecoder().decode(payload)), keyId: protectedHeader.kid ?? '' }
  } catch (cause) {
    if (cause instanceof errors.JWKSNoMatchingKey) {
      throw new ForeignManifest('the keys do not include the one that signed the manifest', {
        cause,
      })
    }
    if (!(cause instanceof errors.JOSEError)) throw cause
    throw new ForeignManifest(`the signature of the manifest is not valid: ${cause.message}`, {
      cause,
    })
  }
}

/**
 * Reads a set of public keys.
 *
 * @param source names the keys in errors
 */
function parseKeys(text: string, source: string): JSONWebKeySet {
  const value = parseJson(text)
  if (isObject(value) && Array.isArray(value['keys']) && value['keys'].every(isKey)) {
    return { keys: value['keys'] }
  }
  throw new UsageError(`${source}: expected a JSON Web Key Set, {"keys": [...]}`)
}

function parseRun(text: string): Run {
  const value = parseJson(text)
  if (!isRun(value)) throw notManifest()
  return value
}

function notManifest(): UsageError {
  return new UsageError('--manifest: expected the JSON or the JWS that counterfoil manifest prints')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isKey(value: unknown): value is JSONWebKeySet['keys'][number] {
  return isObject(value) && typeof value['kty'] === 'string'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
