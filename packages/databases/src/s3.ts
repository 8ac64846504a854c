import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { readPassword } from '@counterfoil/common'
import { CLICKHOUSE } from './clickhouse.ts'
import type { DatabaseSettings, SourceDatabase } from './source-database.ts'

// The secret is a parameter, so that no text of a query has it.
const FILES = `WITH files AS (
  SELECT *, _file, _time FROM s3({s3_url:String}, {s3_key:String}, {s3_secret:String}, 'Parquet'))`

const SETTINGS = {
  max_execution_time: 0,
  date_time_output_format: 'iso',
  session_timezone: 'UTC',
  s3_retry_attempts: 3,
}

const described = z.object({ name: z.string() })

/**
 * Opens Parquet files of an object store. The ledger's engine reads them: a query finds them as `files`. A file that
 * changes while a query reads it fails the query.
 *
 * @param settings the URL is `s3://key-id@host/bucket/path/*.parquet`, and the password is the secret key
 */
export function openS3(settings: DatabaseSettings, engine: Queries): SourceDatabase {
  const { username, host, pathname } = new URL(settings.url)
  const parameters = {
    s3_url: `${settings.isSecured ? 'https' : 'http'}://${host}${decodeURIComponent(pathname)}`,
    s3_key: decodeURIComponent(username),
    s3_secret: readPassword(settings),
  }
  const leaving = new AbortController()
  return {
    ...CLICKHOUSE,
    title: settings.title,
    columnsOf: async (query) => {
      const sql = `DESCRIBE TABLE (${FILES}\nSELECT * FROM (${query}\n))`
      const asked = { sql, parameters, settings: { ...SETTINGS, readonly: 0 } }
      return (await readRows(engine, described, asked)).map(({ name }) => name)
    },
    read: async function* (query) {
      const asked = { parameters, settings: SETTINGS, role: 'owner', format: 'CSV' } as const
      const chunks = await engine.stream({ sql: `${FILES}\n${query}`, ...asked }, leaving.signal)
      for await (const { bytes } of chunks) yield bytes
    },
    close: async () => leaving.abort(),
  }
}
