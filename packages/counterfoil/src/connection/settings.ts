import { Option } from 'commander'

/** The settings of a connection, as one source holds them: the command line, the environment, or a profile. */
export interface Settings {
  /** The report URL. */
  readonly endpoint?: string
  readonly login?: string
  readonly controlKey?: string
  readonly controlKeyFile?: string
  readonly privateKeyFile?: string
  readonly passphrase?: string
  readonly caFile?: string
  readonly signBody?: boolean
  readonly allowPlainHttp?: boolean
}

export interface ConnectionOptions
  extends Omit<Settings, 'controlKey' | 'privateKeyFile' | 'passphrase' | 'caFile'> {
  readonly privateKey?: string
  readonly ca?: string
  readonly profile?: string
  readonly json?: boolean
}

/** Where a setting may stand beside a profile. The options are in the order in which the help lists them. */
// biome-ignore format: a table
const PLACES: readonly (readonly [name: keyof Settings, variable: string, flags?: string, about?: string])[] = [
  ['endpoint', 'COUNTERFOIL_ENDPOINT', '--endpoint <url>', 'report URL'],
  ['login', 'COUNTERFOIL_LOGIN', '--login <login>', 'your login'],
  ['controlKey', 'COUNTERFOIL_CONTROL_KEY'],
  ['controlKeyFile', 'COUNTERFOIL_CONTROL_KEY_FILE', '--control-key-file <file>', 'file that holds your control key, for HMAC-SHA1'],
  ['privateKeyFile', 'COUNTERFOIL_PRIVATE_KEY_FILE', '--private-key <file>', 'file that holds your RSA private key in PEM, for RSA-SHA256'],
  ['passphrase', 'COUNTERFOIL_PASSPHRASE'],
  ['caFile', 'COUNTERFOIL_CA_FILE', '--ca <file>', "certificates to trust instead of the system's, in PEM"],
  ['allowPlainHttp', '', '--allow-plain-http', 'allow http: to another machine than this one'],
  ['signBody', '', '--sign-body', 'sign the body too, as some logins must'],
]

export const SETTING_TYPES: Readonly<Record<string, 'string' | 'boolean'>> = Object.fromEntries(
  PLACES.map(([name, variable]) => [name, variable === '' ? 'boolean' : 'string']),
)

const OPTIONS = PLACES.flatMap(([name, variable, flags, about]) => {
  if (flags === undefined) return []
  return [{ name, option: new Option(flags, variable ? `${about} (${variable})` : about) }]
})

const PROFILE = new Option('--profile <name>', 'profile of counterfoil init (COUNTERFOIL_PROFILE)')

export const GATEWAY_OPTIONS: readonly Option[] = [
  ...OPTIONS.map(({ option }) => option),
  PROFILE,
].map((option) =>
  option.helpGroup('Connection (from the option, else the variable, else the profile):'),
)

export function connectionOptions(...without: readonly string[]): readonly Option[] {
  return GATEWAY_OPTIONS.filter(({ long }) => !without.includes(long ?? ''))
}

export function hasKey({ controlKey, controlKeyFile, privateKeyFile }: Settings): boolean {
  return (controlKey ?? controlKeyFile ?? privateKeyFile) !== undefined
}

/** Reads the settings of the environment. An empty variable counts as unset. */
export function settingsOfEnvironment(env: NodeJS.ProcessEnv): Settings {
  const values = PLACES.map(([name, variable]) => [name, env[variable] || undefined])
  return defined(Object.fromEntries(values))
}

export function settingsOfOptions(options: ConnectionOptions): Settings {
  const given = new Map(Object.entries(options))
  const values = OPTIONS.map(({ name, option }) => [name, given.get(option.attributeName())])
  return defined(Object.fromEntries(values))
}

/** Merges settings: the first source has precedence. A source for another login than the result gives no key. */
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
