import { readPrivateFile } from '../read-private-file.ts'
import type { Config } from './config.ts'
import { readConfiguredFile } from './read-configured-file.ts'

type Cluster = NonNullable<Config['engine']['cluster']>

/**
 * Reads the files of `engine.cluster`. Spaces and line breaks at the end are not a part of the password.
 *
 * @throws {GatewayError} `config` if a file cannot be read, or if others may use the password
 */
export function readServerLogin({ user, passwordFile, caFile }: Cluster) {
  const password = readPrivateFile(passwordFile, 'password file').trimEnd()
  const ca = caFile === undefined ? undefined : readConfiguredFile('engine.cluster.caFile', caFile)
  return { user, password, ca }
}
