import type { ClientOptions, Credentials } from '@counterfoil/client'
import type { Dependencies } from '../dependencies.ts'
import { UsageError } from '../usage-error.ts'
import type { ConnectionOptions, GatewayOptions } from './connection-options.ts'
import { placeProfile, readProfile } from './profile.ts'
import { openPrompt } from './prompt.ts'
import { readText } from './read-text.ts'
import {
  hasKey,
  mergeSettings,
  type Settings,
  settingsOfEnvironment,
  settingsOfOptions,
} from './settings.ts'

/** The environment, and the terminal for questions. */
type Terminal = Pick<Dependencies, 'env' | 'stdin' | 'stderr' | 'signal'>

/** The options of a client for reports. */
export type GatewayConnection = ClientOptions & Credentials & { readonly endpoint: string }

/**
 * Reads the report URL, the login and the key: from the options, else from the environment, else from the profile. Asks
 * for a missing key on a terminal.
 *
 * @throws {UsageError} if a setting is missing, or if a file of the settings is not readable
 */
export async function readGateway(
  options: GatewayOptions,
  terminal: Terminal,
): Promise<GatewayConnection> {
  return await connectToGateway(await readSettings(options, terminal), terminal)
}

/** Does the same for the base URL of the sandbox's operations. */
export async function readOperations(
  options: ConnectionOptions & { readonly apiUrl?: string },
  terminal: Terminal,
): Promise<ClientOptions & { readonly apiUrl: string }> {
  const settings = await readSettings(options, terminal)
  const { apiUrl, login } = settings
  if (apiUrl === undefined || login === undefined) {
    throw missing({ '--api-url (or COUNTERFOIL_API_URL)': apiUrl, [LOGIN]: login })
  }
  return { ...(await readSender(login, settings, terminal)), apiUrl }
}

/** Reads the base URL of the sandbox's operations, if a setting has it. Throws `UsageError`. */
export async function readApiUrl(
  options: ConnectionOptions & { readonly apiUrl?: string },
  terminal: Terminal,
): Promise<string | undefined> {
  return (await readSettings(options, terminal)).apiUrl
}

/** Reads the files of settings for reports. Throws `UsageError`. */
export async function connectToGateway(
  settings: Settings,
  terminal: Terminal,
): Promise<GatewayConnection> {
  const { endpoint, login, signBody } = settings
  if (endpoint === undefined || login === undefined) {
    throw missing({ [ENDPOINT]: endpoint, [LOGIN]: login })
  }
  const sender = await readSender(login, settings, terminal)
  return { ...sender, endpoint, ...(signBody && { signBody }) }
}

/**
 * Reads the key of a login, and never asks for it. Returns `undefined` if no option, variable or profile has a key for
 * this login. Throws `UsageError` if a file is not readable.
 */
export async function findCredentials(
  login: string,
  options: GatewayOptions,
  terminal: Terminal,
): Promise<Credentials | undefined> {
  const settings = await readSettings({ ...options, login }, terminal)
  return hasKey(settings) ? await readCredentials(login, settings, terminal) : undefined
}

/** Reads the key of the login in the settings, and never asks for it. Throws `UsageError` if a file is not readable. */
export async function findOwnCredentials(
  options: GatewayOptions,
  terminal: Terminal,
): Promise<Credentials | undefined> {
  const settings = await readSettings(options, terminal)
  const { login } = settings
  if (login === undefined || !hasKey(settings)) return undefined
  return await readCredentials(login, settings, terminal)
}

/** Reads the report URL and the certificates to trust, for requests that need no login. Throws `UsageError`. */
export async function readAddress(
  options: GatewayOptions,
  terminal: Terminal,
): Promise<{ readonly endpoint: string; readonly ca: string | undefined }> {
  const { endpoint, caFile } = await readSettings(options, terminal)
  if (endpoint === undefined) throw missing({ [ENDPOINT]: endpoint })
  return { endpoint, ca: caFile === undefined ? undefined : await readText(caFile, '--ca') }
}

/** Reads the certificates to trust, if a setting names a file of them. Throws `UsageError`. */
export async function readCertificates(
  options: GatewayOptions,
  terminal: Terminal,
): Promise<string | undefined> {
  const { caFile } = await readSettings(options, terminal)
  return caFile === undefined ? undefined : await readText(caFile, '--ca')
}

/** Tells whether a private key in PEM needs a passphrase. */
export function isEncrypted(pem: string): boolean {
  return /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(pem)
}

const ENDPOINT = '--endpoint (or COUNTERFOIL_ENDPOINT)'
const LOGIN = '--login (or COUNTERFOIL_LOGIN)'

function missing(settings: Readonly<Record<string, string | undefined>>): UsageError {
  const names = Object.keys(settings).filter((name) => settings[name] === undefined)
  return new UsageError(
    `missing ${names.join(', ')}. To write your settings to a profile, run: counterfoil init`,
  )
}

async function readSettings(
  options: GatewayOptions & { readonly apiUrl?: string },
  { env }: Terminal,
): Promise<Settings> {
  const profile = await readProfile(placeProfile(options.profile, env))
  return mergeSettings([settingsOfOptions(options, env), settingsOfEnvironment(env), profile])
}

async function readSender(
  login: string,
  settings: Settings,
  terminal: Terminal,
): Promise<Credentials & Pick<ClientOptions, 'allowPlainHttp' | 'ca'>> {
  const { caFile, allowPlainHttp } = settings
  return {
    ...(await readCredentials(login, settings, terminal)),
    ...(caFile !== undefined && { ca: await readText(caFile, '--ca') }),
    ...(allowPlainHttp && { allowPlainHttp }),
  }
}

async function readCredentials(
  login: string,
  settings: Settings,
  terminal: Terminal,
): Promise<Credentials> {
  const { controlKey, controlKeyFile, privateKeyFile } = settings
  if (!hasKey(settings)) return { login, controlKey: await askForKey(login, terminal) }
  if (controlKeyFile !== undefined && privateKeyFile !== undefined) {
    throw new UsageError('expected one key, got a control key file and a private key file')
  }
  if (privateKeyFile !== undefined) {
    return await readPrivateKey(login, privateKeyFile, settings.passphrase, terminal)
  }
  const text =
    controlKeyFile === undefined ? controlKey : await readText(controlKeyFile, '--control-key-file')
  return { login, controlKey: (text ?? '').trim() }
}

async function readPrivateKey(
  login: string,
  file: string,
  passphrase: string | undefined,
  terminal: Terminal,
): Promise<Credentials> {
  const privateKey = await readText(file, '--private-key')
  if (!privateKey.includes('-----BEGIN ')) {
    const what = `${file} holds no PEM key (no line -----BEGIN ...-----)`
    throw new UsageError(`--private-key: ${what}`)
  }
  if (passphrase !== undefined) return { login, privateKey, passphrase }
  if (!isEncrypted(privateKey) || !canAsk(terminal)) return { login, privateKey }
  return { login, privateKey, passphrase: await askOnce(`Passphrase of ${file}: `, terminal) }
}

async function askForKey(login: string, terminal: Terminal): Promise<string> {
  if (canAsk(terminal)) return await askOnce(`Control key of ${login}: `, terminal)
  const places = '--control-key-file, --private-key, the variable COUNTERFOIL_CONTROL_KEY'
  throw new UsageError(`missing a key: use ${places} or a profile (counterfoil init)`)
}

function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

async function askOnce(question: string, terminal: Terminal): Promise<string> {
  const prompt = openPrompt(terminal)
  try {
    return await prompt.askHidden(question)
  } finally {
    prompt.close()
  }
}
