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

type Terminal = Omit<Dependencies, 'stdout'>

export type GatewayConnection = ClientOptions & Credentials & { readonly endpoint: string }

async function readSettings(options: ConnectionOptions, { env }: Terminal): Promise<Settings> {
  const profile = await readProfile(placeProfile(options.profile, env))
  return mergeSettings([settingsOfOptions(options), settingsOfEnvironment(env), profile])
}

/** Reads the report URL, the login and the key. Asks for a missing key on a terminal. Throws `UsageError`. */
export async function readGateway(
  options: ConnectionOptions,
  terminal: Terminal,
): Promise<GatewayConnection> {
  return await connectToGateway(await readSettings(options, terminal), terminal)
}

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

/** Reads the key of the login in the settings, and never asks for it. Undefined if there is no login or no key. */
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

async function readCertificates({ caFile }: Settings): Promise<string | undefined> {
  return caFile === undefined ? undefined : await readText(caFile, '--ca')
}

export function isEncrypted(pem: string): boolean {
  return /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(pem)
}

function requireEndpoint({ endpoint }: Settings, lacksLogin = false): string {
  if (endpoint !== undefined && !lacksLogin) return endpoint
  const missing = [
    ...(endpoint === undefined ? ['--endpoint (or COUNTERFOIL_ENDPOINT)'] : []),
    ...(lacksLogin ? ['--login (or COUNTERFOIL_LOGIN)'] : []),
  ]
  const advice = 'To write your settings to a profile, run: counterfoil init'
  throw new UsageError(`missing ${missing.join(', ')}. ${advice}`)
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

async function askOnTerminal(question: string, terminal: Terminal): Promise<string | undefined> {
  if (!terminal.stdin.isTTY || !terminal.stderr.isTTY) return undefined
  const prompt = openPrompt(terminal)
  return await prompt.ask(question, true).finally(() => prompt.close())
}

/** Runs the requests of a command. If they fail, prints why, and what that leaves behind (`state`). */
export async function withClient(
  options: ConnectionOptions & { readonly requireProof?: boolean },
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
