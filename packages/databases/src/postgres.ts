import { readFileSync } from 'node:fs'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { databaseAddress, LIMITS, readPassword } from '@counterfoil/common'
import {
  type DatabaseSettings,
  type Dialect,
  isAtDays,
  plainText,
  type SourceDatabase,
} from './source-database.ts'

const dayOf = (time: string): string => `to_char(${time}, 'YYYY-MM-DD')`

/** How PostgreSQL writes what a sync asks for. Sessions are in UTC. */
const DIALECT: Dialect = {
  identifier: (name) => `"${name.replaceAll('"', '""')}"`,
  text: (value) => `(${value})::text`,
  day: dayOf,
  time: (time) => `to_char(${time}, 'YYYY-MM-DD HH24:MI:SS.US')`,
  hash: () => 'hashtextextended(q::text, 0) & 281474976710655',
  // The literal has no type, so that an index on the column is used.
  isFrom: (time, from) => `coalesce(${time} >= ${plainText(from)}, false)`,
  isAtDays: (time, days) => isAtDays(time, dayOf(time), days),
}

/** Opens a snapshot of a PostgreSQL database: one transaction that only reads. */
export async function openPostgres(settings: DatabaseSettings): Promise<SourceDatabase> {
  const { server, isSecured } = databaseAddress(settings.url, 5432)
  const client = new pg.Client({
    ...server,
    password: readPassword(settings),
    ssl: isSecured && { ca: settings.caFile && readFileSync(settings.caFile, 'utf8') },
    application_name: 'counterfoil sync',
    connectionTimeoutMillis: LIMITS.databaseConnectMs,
    options:
      '-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c client_encoding=UTF8 -c lock_timeout=60s',
    keepAlive: true,
  })
  // A connection that ends between two statements fails the next one.
  client.on('error', () => {})
  await client.connect()
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  return {
    ...DIALECT,
    title: settings.title,
    columnsOf: async (query) => {
      const { fields } = await client.query(`SELECT * FROM (${query}\n) AS q LIMIT 0`)
      return fields.map(({ name }) => name)
    },
    read: (query) => client.query(copyTo(`COPY (${query}\n) TO STDOUT (FORMAT csv)`)),
    close: async () => await client.end(),
  }
}
