import { readPassword } from '@counterfoil/common'
import type { Config } from './config.ts'
import { readConfiguredFile } from './read-configured-file.ts'

type Cluster = NonNullable<Config['engine']['cluster']>

/**
 * Reads the password and the files of `engine.cluster`.
 *
 * @throws {GatewayError} `config` if a file cannot be read, or if others may use the password
 */
export function readServerLogin({ user, caFile, ...source }: Cluster) {
  const password = readPassword(source)
  const ca = caFile === undefined ? undefined : readConfiguredFile('engine.cluster.caFile', caFile)
  return { user, password, ca }
}
