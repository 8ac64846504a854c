import * as z from 'zod'
import { GatewayError, isLoopback } from '@counterfoil/common'
import type { DatabaseSettings } from '@counterfoil/databases'

const text = z.string().min(1)

/** The password of a server, and the PEM of the authority that signed its certificate. */
const login = {
  passwordFile: text.optional(),
  passwordEnvironment: text.optional(),
  caFile: text.optional(),
}

/** The URL of a database that a source reads, without a password. */
export const databaseUrl = urlOf(
  'expected a URL such as "postgresql://user@host:5432/name", "mysql://user@host:3306/name" or "https://user@host:8443/name" or "s3://key-id@host/bucket/*.parquet"',
  ({ protocol }) => /^(postgres|postgresql|mysql|https?|s3):$/.test(protocol),
)

/** The URL of the store's PostgreSQL database, without a password. TLS verifies the server, or is off. */
const postgresUrl = urlOf(
  'expected a URL such as "postgres://user@host:5432/database"',
  ({ protocol, pathname }) => /^postgres(ql)?:$/.test(protocol) && /^\/[^/]+$/.test(pathname),
)

/** The PostgreSQL of a store. It may take its user without a password. */
export const postgres = serverWith({ url: postgresUrl }, 0)

/** A database that sources read. Its URL tells the kind. */
export const database = serverWith({ url: databaseUrl }).refine(
  ({ url, caFile }) => caFile === undefined || !/^(https?|s3):/.test(url),
  {
    path: ['caFile'],
    error:
      'expected none for ClickHouse and object stores. Set NODE_EXTRA_CA_CERTS, or the store of the system',
  },
)

/** The shape of a server of the operator, with a login. */
export function serverWith<Shape extends z.ZodRawShape>(shape: Shape, passwordsMin: 0 | 1 = 1) {
  return z.strictObject({ ...shape, ...login }).superRefine((server, context) => {
    const { passwordFile, passwordEnvironment }: Partial<Record<string, unknown>> = server
    const passwords = [passwordFile, passwordEnvironment].filter(Boolean).length
    if (passwords >= passwordsMin && passwords < 2) return
    const message = 'expected either a file or an environment variable'
    context.addIssue({ code: 'custom', path: ['passwordFile'], message })
  })
}

function urlOf(expected: string, isKnown: (url: URL) => boolean) {
  return z.string().superRefine((written, context) => {
    const url = URL.parse(written)
    if (!url?.username || !url.hostname || !isKnown(url) || url.hash) {
      context.addIssue(expected)
    } else if (url.password) {
      context.addIssue('expected no password. Write it to a file, and name that in passwordFile')
    } else if (isOpenHttp(written)) {
      context.addIssue('expected https://, or http:// on a loopback address')
    } else if (!['', '?sslmode=disable', '?sslmode=verify-full'].includes(url.search)) {
      context.addIssue('expected no query, or "?sslmode=verify-full", or "?sslmode=disable"')
    }
  })
}

/**
 * Returns the settings of a database of the configuration.
 *
 * @throws {GatewayError} `config` if the configuration has no such database
 */
export function databaseSettings(
  databases: Readonly<Record<string, Readonly<z.infer<typeof database>>>>,
  name: string,
): DatabaseSettings {
  const found = databases[name]
  if (found === undefined) {
    const known = Object.keys(databases).join(', ') || 'none'
    throw new GatewayError('config', `databases: expected "${name}", got ${known}`)
  }
  return { ...found, title: `the database ${name}` }
}

/** Whether a URL sends plain HTTP over a network. */
export function isOpenHttp(url: string): boolean {
  const { protocol, hostname = '' } = URL.parse(url) ?? {}
  return protocol === 'http:' && !isLoopback(hostname)
}
