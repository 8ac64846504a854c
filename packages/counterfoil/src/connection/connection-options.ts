import { Option } from 'commander'
import { REQUIRED } from '../add-options.ts'

/** The login, its key and the connection, from options or the environment. */
export interface ConnectionOptions {
  readonly login: string
  readonly controlKeyFile?: string
  readonly privateKey?: string
  readonly passphraseEnv?: string
  readonly ca?: string
  readonly allowPlainHttp?: boolean
}

/** The options of {@link ConnectionOptions}, which every command has. */
export const CONNECTION_OPTIONS: readonly Option[] = [
  new Option('--login <login>', 'your login').env('COUNTERFOIL_LOGIN').helpGroup(REQUIRED),
  new Option('--control-key-file <file>', 'file that holds your control key (HMAC-SHA1)').env(
    'COUNTERFOIL_CONTROL_KEY_FILE',
  ),
  new Option(
    '--private-key <file>',
    'file that holds your RSA private key in PEM (RSA-SHA256)',
  ).env('COUNTERFOIL_PRIVATE_KEY_FILE'),
  new Option(
    '--passphrase-env <name>',
    'environment variable that holds the passphrase of the private key',
  ),
  new Option('--ca <file>', "certificates to trust instead of the system's (PEM)").env(
    'COUNTERFOIL_CA_FILE',
  ),
  new Option('--allow-plain-http', 'allow http: to another machine than this one'),
]
