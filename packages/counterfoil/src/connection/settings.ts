import { Option } from 'commander'
import { CONNECTION } from '../command.ts'
import { UsageError } from '../usage-error.ts'

/** The settings of a connection, as one source holds them: the command line, the environment, or a profile. */
export interface Settings {
  /** The report URL. */
  readonly endpoint?: string
  /** The base URL of the sandbox's operations. */
  readonly apiUrl?: string
  readonly login?: string
  readonly controlKey?: string
  readonly controlKeyFile?: string
  readonly privateKeyFile?: string
  /** The passphrase of the private key. */
  readonly passphrase?: string
  readonly caFile?: string
  readonly signBody?: boolean
  readonly allowPlainHttp?: boolean
}

/** The options of a connection. */
export interface ConnectionOptions {
  readonly endpoint?: string
  readonly apiUrl?: string
  readonly login?: string
  readonly controlKeyFile?: string
  readonly privateKey?: string
  readonly passphraseEnv?: string
  readonly ca?: string
  readonly signBody?: boolean
  readonly allowPlainHttp?: boolean
  readonly profile?: string
}

/** Where a setting may stand, beside a profile. */
interface Place {
  readonly flags?: string
  readonly about?: string
  readonly variable?: string
}

/** Every setting. The options are in the order in which the help lists them. */
const PLACES: Readonly<Record<keyof Settings, Place>> = {
  endpoint: { flags: '--endpoint <url>', about: 'report URL', variable: 'COUNTERFOIL_ENDPOINT' },
  apiUrl: {
    flags: '--api-url <url>',
    about: 'base URL of the operations: https://host/prefix',
    variable: 'COUNTERFOIL_API_URL',
  },
  login: { flags: '--login <login>', about: 'your login', variable: 'COUNTERFOIL_LOGIN' },
  controlKey: { variable: 'COUNTERFOIL_CONTROL_KEY' },
  controlKeyFile: {
    flags: '--control-key-file <file>',
    about: 'file that holds your control key, for HMAC-SHA1',
    variable: 'COUNTERFOIL_CONTROL_KEY_FILE',
  },
  privateKeyFile: {
    flags: '--private-key <file>',
    about: 'file that holds your RSA private key in PEM, for RSA-SHA256',
    variable: 'COUNTERFOIL_PRIVATE_KEY_FILE',
  },
  passphrase: {
    flags: '--passphrase-env <name>',
    about: 'environment variable that holds the passphrase of the private key',
  },
  caFile: {
    flags: '--ca <file>',
    about: "certificates to trust instead of the system's, in PEM",
    variable: 'COUNTERFOIL_CA_FILE',
  },
  allowPlainHttp: {
    flags: '--allow-plain-http',
    about: 'allow http: to another machine than this one',
  },
  signBody: { flags: '--sign-body', about: 'sign the body too, as some logins must' },
}

const FLAGS = ['signBody', 'allowPlainHttp']

/** The type of each setting in a profile. */
export const SETTING_TYPES: Readonly<Record<string, 'string' | 'boolean'>> = Object.fromEntries(
  Object.keys(PLACES).map((name) => [name, FLAGS.includes(name) ? 'boolean' : 'string']),
)

const PROFILE = new Option('--profile <name>', 'profile of counterfoil init (COUNTERFOIL_PROFILE)')

const ALL_OPTIONS = Object.values(PLACES).flatMap(({ flags, about, variable }) => {
  return flags ? [new Option(flags, variable ? `${about} (${variable})` : about)] : []
})

/** Returns the options of a connection, without some. */
export function connectionOptions(...without: readonly string[]): readonly Option[] {
  const options = [...ALL_OPTIONS, PROFILE].map((option) => option.helpGroup(CONNECTION))
  return options.filter(({ long }) => !without.includes(long ?? ''))
}

/** The options of a command that sends requests to the report URL. */
export const GATEWAY_OPTIONS = connectionOptions('--api-url')

/** Tells whether settings hold a key. */
export function hasKey({ controlKey, controlKeyFile, privateKeyFile }: Settings): boolean {
  return (controlKey ?? controlKeyFile ?? privateKeyFile) !== undefined
}

/** Reads the settings of the environment. An empty variable counts as unset. */
export function settingsOfEnvironment(env: NodeJS.ProcessEnv): Settings {
  const values = Object.entries(PLACES).map(([name, { variable = '' }]) => [name, env[variable]])
  return Object.fromEntries(values.filter(([, value]) => value))
}

/**
 * Reads the settings of the command line.
 *
 * @throws {UsageError} if `--passphrase-env` names a variable that is not set
 */
export function settingsOfOptions(options: ConnectionOptions, env: NodeJS.ProcessEnv): Settings {
  const { controlKeyFile, privateKey: privateKeyFile, ca: caFile, passphraseEnv } = options
  const passphrase = passphraseEnv === undefined ? undefined : env[passphraseEnv]
  if (passphraseEnv !== undefined && passphrase === undefined) {
    throw new UsageError(`--passphrase-env: the variable ${passphraseEnv} is not set`)
  }
  const { endpoint, apiUrl, login, signBody, allowPlainHttp } = options
  const keys = { controlKeyFile, privateKeyFile, passphrase }
  return defined({ endpoint, apiUrl, login, ...keys, caFile, signBody, allowPlainHttp })
}

/**
 * Merges settings, of which the first source has precedence. The key comes from the first source that has one. A source
 * that names another login than the result has no key for it.
 */
export function mergeSettings(sources: readonly Settings[]): Settings {
  const merged: Settings = Object.assign({}, ...sources.toReversed())
  const own = sources.filter(({ login = merged.login }) => login === merged.login)
  const at = own.findIndex(hasKey)
  const { controlKey, controlKeyFile, privateKeyFile } = own[at] ?? {}
  const { passphrase } = own.slice(0, at + 1).find((source) => source.passphrase) ?? {}
  return defined({ ...merged, controlKey, controlKeyFile, privateKeyFile, passphrase })
}

function defined(settings: { readonly [name in keyof Settings]: unknown }): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}
