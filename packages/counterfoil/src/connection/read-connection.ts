import { type ClientOptions, CounterfoilClient, type Credentials } from '@counterfoil/client'
import {
  importControlKey,
  importPrivateKey,
  SigningError,
  type SigningKey,
} from '@counterfoil/signing'
import { placeProfile, readProfile } from './profile.ts'
import { openPrompt } from './prompt.ts'
import {
  type ConnectionOptions,
  hasKey,
  mergeSettings,
  type Settings,
  settingsOfEnvironment,
  settingsOfOptions,
} from './settings.ts'
import { endWithError } from '../print/end-with-error.ts'
import { type Dependencies, UsageError } from '../command.ts'
import { readText } from '../files.ts'

/** The environment, and the terminal for questions. */
type Terminal = Pick<Dependencies, 'env' | 'stdin' | 'stderr' | 'signal'>

/** The options of a client for reports. */
export type GatewayConnection = ClientOptions & Credentials & { readonly endpoint: string }

/**
 * Reads the settings: from the options, else from the environment, else from the profile.
 *
 * @throws {UsageError} if the profile or an option is wrong
 */
async function readSettings(
  options: ConnectionOptions,
  { env }: Pick<Terminal, 'env'>,
): Promise<Settings> {
  const profile = await readProfile(placeProfile(options.profile, env))
  return mergeSettings([settingsOfOptions(options), settingsOfEnvironment(env), profile])
}

/**
 * Reads the report URL, the login and the key. Asks for a missing key on a terminal.
 *
 * @throws {UsageError} if a setting is missing, or if a file of the settings is not readable
 */
export async function readGateway(
  options: ConnectionOptions,
  terminal: Terminal,
): Promise<GatewayConnection> {
  return await connectToGateway(await readSettings(options, terminal), terminal)
}

/** Reads the files of settings. Throws `UsageError`. */
export async function connectToGateway(
  settings: Settings,
  terminal: Terminal,
): Promise<GatewayConnection> {
  const endpoint = requireEndpoint(settings, settings.login === undefined)
  const { allowPlainHttp, signBody } = settings
  const ca = await readCertificates(settings)
  return {
    ...(await readCredentials(settings, terminal)),
    endpoint,
    ...(ca !== undefined && { ca }),
    ...(allowPlainHttp && { allowPlainHttp }),
    ...(signBody && { signBody }),
  }
}

/**
 * Reads the key of the login in the settings, and never asks for it. Returns `undefined` if the settings have no login,
 * or no key for it. Throws `UsageError` if a file is not readable.
 */
export async function findCredentials(
  options: ConnectionOptions,
  terminal: Terminal,
): Promise<Credentials | undefined> {
  const settings = await readSettings(options, terminal)
  if (settings.login === undefined || !hasKey(settings)) return undefined
  return await readCredentials(settings, terminal)
}

/** Reads the report URL and the certificates to trust, for requests that need no login. Throws `UsageError`. */
export async function readAddress(
  options: ConnectionOptions,
  terminal: Terminal,
): Promise<{ readonly endpoint: string; readonly ca: string | undefined }> {
  const settings = await readSettings(options, terminal)
  return { endpoint: requireEndpoint(settings), ca: await readCertificates(settings) }
}

/** Reads the certificates to trust, if a setting names a file of them. Throws `UsageError`. */
async function readCertificates({ caFile }: Settings): Promise<string | undefined> {
  return caFile === undefined ? undefined : await readText(caFile, '--ca')
}

/** Tells whether a private key in PEM needs a passphrase. */
export function isEncrypted(pem: string): boolean {
  return /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(pem)
}

/** Returns the report URL. Throws a `UsageError` that names what is missing. */
function requireEndpoint({ endpoint }: Settings, lacksLogin = false): string {
  const missing = [
    ...(endpoint === undefined ? ['--endpoint (or COUNTERFOIL_ENDPOINT)'] : []),
    ...(lacksLogin ? ['--login (or COUNTERFOIL_LOGIN)'] : []),
  ].join(', ')
  if (endpoint !== undefined && missing === '') return endpoint
  const advice = 'To write your settings to a profile, run: counterfoil init'
  throw new UsageError(`missing ${missing}. ${advice}`)
}

async function readCredentials(settings: Settings, terminal: Terminal): Promise<Credentials> {
  const { login = '', controlKey = '', controlKeyFile, privateKeyFile } = settings
  if (!hasKey(settings)) {
    const places = '--control-key-file, --private-key, the variable COUNTERFOIL_CONTROL_KEY'
    const asked = await askOnTerminal(`Control key of ${login}: `, terminal)
    if (asked !== undefined) return { login, controlKey: asked }
    throw new UsageError(`missing a key: use ${places} or a profile (counterfoil init)`)
  }
  if (controlKeyFile !== undefined && privateKeyFile !== undefined) {
    throw new UsageError('expected one key, got a control key file and a private key file')
  }
  if (privateKeyFile === undefined) {
    const file = controlKeyFile
    const text = file === undefined ? controlKey : await readText(file, '--control-key-file')
    return { login, controlKey: text.trim() }
  }
  const privateKey = await readText(privateKeyFile, '--private-key')
  if (!privateKey.includes('-----BEGIN ')) {
    const what = `${privateKeyFile} holds no PEM key (no line -----BEGIN ...-----)`
    throw new UsageError(`--private-key: ${what}`)
  }
  const question = `Passphrase of ${privateKeyFile}: `
  const passphrase =
    settings.passphrase ??
    (isEncrypted(privateKey) ? await askOnTerminal(question, terminal) : undefined)
  return { login, privateKey, ...(passphrase !== undefined && { passphrase }) }
}

/**
 * Imports the key of credentials.
 *
 * @throws {UsageError} if the key is malformed, or if the passphrase is wrong
 */
export async function importKey(credentials: Credentials): Promise<SigningKey> {
  try {
    if ('controlKey' in credentials) return await importControlKey(credentials.controlKey)
    const { privateKey, passphrase } = credentials
    return await importPrivateKey(privateKey, passphrase === undefined ? {} : { passphrase })
  } catch (cause) {
    if (!(cause instanceof SigningError)) throw cause
    throw new UsageError(`cannot read the key: ${cause.message}`, { cause })
  }
}

/** Asks for a secret. Returns `undefined` off a terminal. */
async function askOnTerminal(question: string, terminal: Terminal): Promise<string | undefined> {
  if (!terminal.stdin.isTTY || !terminal.stderr.isTTY) return undefined
  const prompt = openPrompt(terminal)
  try {
    return await prompt.askHidden(question)
  } finally {
    prompt.close()
  }
}

/**
 * Runs the requests of a command with a client for the settings of the command line, the environment and the profile.
 * Prints why they failed, if they fail.
 *
 * @param run returns the exit code
 * @param state what an error or an interruption leaves behind, as a sentence
 * @throws {UsageError} if a setting is missing or not readable
 */
export async function withClient(
  options: ConnectionOptions & { readonly json?: boolean; readonly requireProof?: boolean },
  dependencies: Dependencies,
  run: (client: CounterfoilClient, connection: GatewayConnection) => Promise<number>,
  state?: string,
): Promise<number> {
  const connection = await readGateway(options, dependencies)
  const { endpoint, ca } = connection
  const { requireProof = false, json } = options
  try {
    return await run(new CounterfoilClient({ ...connection, requireProof }), connection)
  } catch (error) {
    return await endWithError(error, { endpoint, ca, json, state }, dependencies)
  }
}
