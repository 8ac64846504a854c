import { Option } from 'commander'
import { CONNECTION } from '../add-options.ts'

/** The options of a connection. Each has a source below the command line: the environment, and a profile. */
export interface ConnectionOptions {
  readonly login?: string
  readonly controlKeyFile?: string
  readonly privateKey?: string
  readonly passphraseEnv?: string
  readonly ca?: string
  readonly allowPlainHttp?: boolean
  readonly profile?: string
}

/** The options of a command that sends requests to the report URL. */
export interface GatewayOptions extends ConnectionOptions {
  readonly endpoint?: string
  readonly signBody?: boolean
}

/** The options of {@link ConnectionOptions}, which every command that signs has. */
export const CONNECTION_OPTIONS: readonly Option[] = [
  new Option('--login <login>', 'your login (COUNTERFOIL_LOGIN)'),
  new Option(
    '--control-key-file <file>',
    'file that holds your control key, for HMAC-SHA1 (COUNTERFOIL_CONTROL_KEY_FILE)',
  ),
  new Option(
    '--private-key <file>',
    'file that holds your RSA private key in PEM, for RSA-SHA256 (COUNTERFOIL_PRIVATE_KEY_FILE)',
  ),
  new Option(
    '--passphrase-env <name>',
    'environment variable that holds the passphrase of the private key',
  ),
  new Option(
    '--ca <file>',
    "certificates to trust instead of the system's, in PEM (COUNTERFOIL_CA_FILE)",
  ),
  new Option('--allow-plain-http', 'allow http: to another machine than this one'),
  new Option('--profile <name>', 'profile of counterfoil init (COUNTERFOIL_PROFILE)'),
].map((option) => option.helpGroup(CONNECTION))

/** The options of {@link GatewayOptions}. */
export const GATEWAY_OPTIONS: readonly Option[] = [
  new Option('--endpoint <url>', 'report URL (COUNTERFOIL_ENDPOINT)').helpGroup(CONNECTION),
  ...CONNECTION_OPTIONS,
  new Option('--sign-body', 'sign the body too, as some logins must').helpGroup(CONNECTION),
]

/** The option for the base URL of the sandbox's operations. */
export const API_URL_OPTION = new Option(
  '--api-url <url>',
  'base URL of the operations: https://host/prefix (COUNTERFOIL_API_URL)',
).helpGroup(CONNECTION)
