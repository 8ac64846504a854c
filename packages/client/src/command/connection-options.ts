import { Option } from 'commander'
import { REQUIRED } from './add-options.ts'

/** As whom to ask, as options or the environment told it. */
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
  new Option('--login <login>', 'the merchant login').env('COUNTERFOIL_LOGIN').helpGroup(REQUIRED),
  new Option('--control-key-file <file>', 'sign with the control key in this file').env(
    'COUNTERFOIL_CONTROL_KEY_FILE',
  ),
  new Option('--private-key <file>', 'sign with this RSA private key (PEM)').env(
    'COUNTERFOIL_PRIVATE_KEY_FILE',
  ),
  new Option('--passphrase-env <name>', "the variable that holds the private key's passphrase"),
  new Option('--ca <file>', "trust these certificates (PEM) instead of the system's").env(
    'COUNTERFOIL_CA_FILE',
  ),
  new Option('--allow-plain-http', 'let an http: URL be another machine'),
]
