import { readFileSync } from 'node:fs'
import pg from 'pg'
import { LIMITS, type PasswordSource, readPassword } from '@counterfoil/common'

/** What a configuration says of the PostgreSQL that holds the store. */
export interface PostgresSettings extends PasswordSource {
  /** `postgres://user@host:5432/database`, without a password. */
  readonly url: string
  readonly caFile?: string | undefined
}

/** The schema of the store's tables. */
export const SCHEMA = 'counterfoil'

const PORT = 5432

/** What every connection sets. The values of the database or of its user may be others. */
const SESSION = {
  // A commit returns when it is on the disk.
  synchronous_commit: 'on',
  // Statements after a wait for a lock must see what the other transaction has committed.
  default_transaction_isolation: 'read\\ committed',
  search_path: `${SCHEMA},pg_temp`,
}

/**
 * Makes the configuration of the pool. Each new connection reads the password anew.
 *
 * @param timeoutMs the longest time for a statement, and between two statements of a transaction; 0 means no limit
 */
export function poolConfigOf(
  { url, caFile, ...source }: PostgresSettings,
  timeoutMs: number,
): pg.PoolConfig {
  const { hostname, port, username, pathname, searchParams } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const types = new pg.TypeOverrides()
  // Every bigint of the store is a time, an id or a count below 2^53.
  types.setTypeParser(pg.types.builtins.INT8, Number)
  types.setTypeParser(pg.types.builtins.BYTEA, readBytes)
  const session = Object.entries(SESSION).map(([name, value]) => `-c ${name}=${value}`)
  const isSecured = usesTls(host, searchParams.get('sslmode'))
  return {
    host,
    port: port === '' ? PORT : Number(port),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    ...((source.passwordFile ?? source.passwordEnvironment) !== undefined && {
      password: () => readPassword(source),
    }),
    ssl: isSecured && (caFile === undefined || { ca: readFileSync(caFile, 'utf8') }),
    types,
    options: session.join(' '),
    application_name: 'counterfoil',
    max: LIMITS.storeConnectionsMax,
    connectionTimeoutMillis: LIMITS.storeBusyTimeoutMs,
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    // A gateway that dies within a transaction frees its locks.
    idle_in_transaction_session_timeout: timeoutMs,
    keepAlive: true,
  }
}

/** Reads bytes in PostgreSQL's hex format: `\x00ff`. */
function readBytes(written: string): Uint8Array {
  return new Uint8Array(Buffer.from(written.slice(2), 'hex'))
}

/** A certificate is always verified. Only a server on this machine needs none. */
function usesTls(host: string, mode: string | null): boolean {
  if (mode !== null) return mode === 'verify-full'
  return !['localhost', '127.0.0.1', '::1'].includes(host)
}
