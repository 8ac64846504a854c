import type { ConnectionOptions as ClientConnection, Credentials } from '@counterfoil/client'
import type { ConnectionOptions } from './connection-options.ts'
import { readText } from './read-text.ts'
import { UsageError } from '../usage-error.ts'

/** The variable that may hold the control key. An argument may not, because every user of the machine sees arguments. */
const CONTROL_KEY_VARIABLE = 'COUNTERFOIL_CONTROL_KEY'

/** Reads the key and the certificates that the options name. Throws `UsageError`. */
export async function readConnection(
  options: ConnectionOptions,
  environment: NodeJS.ProcessEnv,
): Promise<Credentials & ClientConnection> {
  const { ca, allowPlainHttp } = options
  return {
    ...(await readCredentials(options, environment)),
    ...(ca !== undefined && { ca: await readText(ca, '--ca') }),
    ...(allowPlainHttp && { allowPlainHttp }),
  }
}

/** Reads the key from its file, or from the variable if no option names a file. */
async function readCredentials(
  { login, controlKeyFile, privateKey, passphraseEnv }: ConnectionOptions,
  environment: NodeJS.ProcessEnv,
): Promise<Credentials> {
  if (controlKeyFile !== undefined && privateKey !== undefined) {
    throw new UsageError('expected one key, got a control key file and a private key file')
  }
  if (privateKey !== undefined) {
    const pem = await readText(privateKey, '--private-key')
    const passphrase = passphraseEnv === undefined ? undefined : environment[passphraseEnv]
    if (passphraseEnv !== undefined && passphrase === undefined) {
      throw new UsageError(`--passphrase-env: the variable ${passphraseEnv} is not set`)
    }
    if (!pem.includes('-----BEGIN ')) {
      const what = `${privateKey} holds no PEM key (no line -----BEGIN ...-----)`
      throw new UsageError(`--private-key: ${what}`)
    }
    return { login, privateKey: pem, ...(passphrase !== undefined && { passphrase }) }
  }
  const controlKey =
    controlKeyFile === undefined
      ? environment[CONTROL_KEY_VARIABLE]
      : await readText(controlKeyFile, '--control-key-file')
  if (controlKey !== undefined) return { login, controlKey: controlKey.trim() }
  throw new UsageError(
    `missing a key: use --control-key-file, --private-key or the variable ${CONTROL_KEY_VARIABLE}`,
  )
}
