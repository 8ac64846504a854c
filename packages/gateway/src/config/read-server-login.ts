import type { Config } from './config.ts'
import { readConfiguredFile } from './read-configured-file.ts'

type Cluster = NonNullable<Config['engine']['cluster']>

/**
 * Reads the files of `engine.cluster`. A line break at the end is not a part of the password.
 *
 * @throws {GatewayError} `config` if a file cannot be read
 */
export function readServerLogin({ user, passwordFile, caFile }: Cluster) {
  const field = 'engine.cluster.passwordFile'
  const password = readConfiguredFile(field, passwordFile).replace(/\r?\n$/, '')
  const ca = caFile === undefined ? undefined : readConfiguredFile('engine.cluster.caFile', caFile)
  return { user, password, ca }
}
