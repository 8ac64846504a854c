import { UsageError } from '../usage-error.ts'
import type { GatewayOptions } from './connection-options.ts'

/** The settings of a connection, as one source holds them: the command line, the environment, or a profile. */
export interface Settings extends KeySettings {
  /** The report URL. */
  readonly endpoint?: string
  /** The base URL of the sandbox's operations. */
  readonly apiUrl?: string
  readonly login?: string
  readonly caFile?: string
  readonly signBody?: boolean
  readonly allowPlainHttp?: boolean
}

/** The key: a text, or a file that holds the key. */
interface KeySettings {
  readonly controlKey?: string
  readonly controlKeyFile?: string
  readonly privateKeyFile?: string
  /** The passphrase of the private key. */
  readonly passphrase?: string
}

const VARIABLES: Readonly<Partial<Record<keyof Settings, string>>> = {
  endpoint: 'COUNTERFOIL_ENDPOINT',
  apiUrl: 'COUNTERFOIL_API_URL',
  login: 'COUNTERFOIL_LOGIN',
  controlKey: 'COUNTERFOIL_CONTROL_KEY',
  controlKeyFile: 'COUNTERFOIL_CONTROL_KEY_FILE',
  privateKeyFile: 'COUNTERFOIL_PRIVATE_KEY_FILE',
  caFile: 'COUNTERFOIL_CA_FILE',
}

/** Tells whether settings hold a key. */
export function hasKey({ controlKey, controlKeyFile, privateKeyFile }: Settings): boolean {
  return (controlKey ?? controlKeyFile ?? privateKeyFile) !== undefined
}

/** Reads the settings of the environment. An empty variable counts as unset. */
export function settingsOfEnvironment(env: NodeJS.ProcessEnv): Settings {
  const entries = Object.entries(VARIABLES).map(([name, variable]) => [name, env[variable]])
  return Object.fromEntries(entries.filter(([, value]) => value))
}

/**
 * Reads the settings of the command line.
 *
 * @throws {UsageError} if `--passphrase-env` names a variable that is not set
 */
export function settingsOfOptions(
  options: GatewayOptions & { readonly apiUrl?: string },
  env: NodeJS.ProcessEnv,
): Settings {
  const { endpoint, apiUrl, login, controlKeyFile, signBody, allowPlainHttp } = options
  const { privateKey: privateKeyFile, ca: caFile, passphraseEnv } = options
  const passphrase = passphraseEnv === undefined ? undefined : env[passphraseEnv]
  if (passphraseEnv !== undefined && passphrase === undefined) {
    throw new UsageError(`--passphrase-env: the variable ${passphraseEnv} is not set`)
  }
  const keys = { controlKeyFile, privateKeyFile, passphrase }
  const all = { endpoint, apiUrl, login, ...keys, caFile, signBody, allowPlainHttp }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/**
 * Merges settings, of which the first source has precedence. The key comes from the first source that has one. A source
 * that names another login than the result has no key for it.
 */
export function mergeSettings(sources: readonly Settings[]): Settings {
  const merged: Settings = Object.assign({}, ...sources.toReversed())
  const { controlKey: _c, controlKeyFile: _f, privateKeyFile: _p, passphrase: _w, ...rest } = merged
  const own = sources.filter(({ login = rest.login }) => login === rest.login)
  const at = own.findIndex(hasKey)
  if (at === -1) return rest
  const { controlKey, controlKeyFile, privateKeyFile } = own[at] ?? {}
  const passphrase = own
    .slice(0, at + 1)
    .find((source) => source.passphrase !== undefined)?.passphrase
  return {
    ...rest,
    ...(controlKey !== undefined && { controlKey }),
    ...(controlKeyFile !== undefined && { controlKeyFile }),
    ...(privateKeyFile !== undefined && { privateKeyFile }),
    ...(passphrase !== undefined && { passphrase }),
  }
}
