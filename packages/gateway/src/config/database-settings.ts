import { GatewayError } from '@counterfoil/common'
import type { DatabaseSettings } from '@counterfoil/databases'
import type { Config } from './config.ts'
import { LOOPBACK } from './database-url.ts'

/**
 * Returns the settings of a database of the configuration. The certificate of a server is verified, unless the server
 * is on this machine, or the URL says `sslmode=disable`.
 *
 * @throws {GatewayError} `config` if the configuration has no such database
 */
export function databaseSettings(
  { databases }: Pick<Config, 'databases'>,
  name: string,
): DatabaseSettings {
  const database = databases[name]
  if (database === undefined) {
    const known = Object.keys(databases).join(', ') || 'none'
    throw new GatewayError('config', `databases: expected "${name}", got ${known}`)
  }
  const { hostname, searchParams } = new URL(database.url)
  const mode = searchParams.get('sslmode')
  const isSecured = mode === null ? !LOOPBACK.has(hostname) : mode === 'verify-full'
  return { ...database, title: `the database ${name}`, isSecured }
}
