import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { databaseAddress, readPassword } from '@counterfoil/common'
import { type Queries, readRows } from '@counterfoil/engine'
import {
  type DatabaseSettings,
  type Dialect,
  plainText,
  plainTexts,
  type SourceDatabase,
} from './source-database.ts'

/** How ClickHouse writes what a sync asks for. */
const DIALECT: Dialect = {
  identifier: (name) => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``,
  text: (value) => `toString(${value})`,
  day: (time) => `toString(toDate32(${time}))`,
  time: (time) => `toString(toDateTime64(${time}, 6, 'UTC'))`,
  // A hash distinguishes NULL from other values only in a tuple.
  hash: (columns) => `bitAnd(cityHash64(tuple(${columns.join(', ')})), 281474976710655)`,
  isFrom: (time, from) => `ifNull(${time} >= toDateTime64(${plainText(from)}, 6, 'UTC'), 0)`,
  isAtDays: (time, days) => `toString(toDate32(${time})) IN (${plainTexts(days)})`,
}

const SETTINGS = {
  readonly: '2',
  date_time_output_format: 'iso',
  session_timezone: 'UTC',
  default_format: 'CustomSeparated',
  format_custom_escaping_rule: 'CSV',
  format_custom_field_delimiter: ',',
}

const columnRow = z.object({ name: z.string() })
const described = z.object({ data: z.array(columnRow) })

/** Opens a ClickHouse database over HTTP. Each query sees the moment at which it begins. */
export function openClickHouse(settings: DatabaseSettings): SourceDatabase {
  const url = new URL(settings.url)
  const database = decodeURIComponent(url.pathname.slice(1)) || 'default'
  const leaving = new AbortController()
  const ask = async (query: string, mark: string): Promise<Response> => {
    const members = { ...SETTINGS, database, format_custom_result_after_delimiter: mark }
    const address = new URL('/', url.origin)
    address.search = new URLSearchParams(members).toString()
    const response = await fetch(address, {
      method: 'POST',
      body: query,
      headers: {
        'X-ClickHouse-User': decodeURIComponent(url.username),
        'X-ClickHouse-Key': readPassword(settings),
      },
      signal: leaving.signal,
      redirect: 'error',
    })
    if (response.ok) return response
    const message = (await response.text()).slice(0, 500)
    throw Object.assign(new Error(message), { code: `HTTP status ${response.status}` })
  }
  return {
    ...DIALECT,
    title: settings.title,
    columnsOf: async (query) => {
      const answer = await ask(`DESCRIBE TABLE (${query}\n) FORMAT JSON`, '')
      return described.parse(await answer.json()).data.map(({ name }) => name)
    },
    read: async function* (query) {
      const mark = randomUUID()
      const { body } = await ask(query, mark)
      if (body !== null) yield* withoutMark(body, Buffer.from(mark))
    },
    close: async () => leaving.abort(),
  }
}

/** Yields a result without the mark at its end. A server that fails within a result writes no mark. */
async function* withoutMark(
  body: AsyncIterable<Uint8Array>,
  mark: Buffer,
): AsyncGenerator<Uint8Array> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of body) {
    held = Buffer.concat([held, chunk])
    const length = Math.max(0, held.length - mark.length)
    yield held.subarray(0, length)
    held = held.subarray(length)
  }
  if (!held.equals(mark)) throw new Error('ClickHouse failed while it sent the rows')
}

// The secret is a parameter, so that no text of a query has it.
const FILES = `WITH files AS (
  SELECT *, _file, _time FROM s3({s3_url:String}, {s3_key:String}, {s3_secret:String}, 'Parquet'))`

const FILE_SETTINGS = {
  max_execution_time: 0,
  date_time_output_format: 'iso',
  session_timezone: 'UTC',
  s3_retry_attempts: 3,
}

/**
 * Opens Parquet files of an object store. The ledger's engine reads them: a query finds them as `files`. A file that
 * changes while a query reads it fails the query.
 *
 * @param settings the URL is `s3://key-id@host/bucket/path/*.parquet`, and the password is the secret key
 */
export function openS3(settings: DatabaseSettings, engine: Queries): SourceDatabase {
  const { username, host, pathname } = new URL(settings.url)
  const { isSecured } = databaseAddress(settings.url, 443)
  const parameters = {
    s3_url: `${isSecured ? 'https' : 'http'}://${host}${decodeURIComponent(pathname)}`,
    s3_key: decodeURIComponent(username),
    s3_secret: readPassword(settings),
  }
  const leaving = new AbortController()
  return {
    ...DIALECT,
    title: settings.title,
    columnsOf: async (query) => {
      const sql = `DESCRIBE TABLE (${FILES}\nSELECT * FROM (${query}\n))`
      const asked = { sql, parameters, settings: { ...FILE_SETTINGS, readonly: 0 } }
      return (await readRows(engine, columnRow, asked)).map(({ name }) => name)
    },
    read: async function* (query) {
      const asked = { parameters, settings: FILE_SETTINGS, role: 'owner', format: 'CSV' } as const
      const chunks = await engine.stream({ sql: `${FILES}\n${query}`, ...asked }, leaving.signal)
      for await (const { bytes } of chunks) yield bytes
    },
    close: async () => leaving.abort(),
  }
}
