import { readFileSync } from 'node:fs'
import { type Connection, createConnection, type FieldPacket } from 'mysql2'
import { databaseAddress, LIMITS, readPassword } from '@counterfoil/common'
import {
  type DatabaseSettings,
  type Dialect,
  isAtDays,
  plainText,
  type SourceDatabase,
} from './source-database.ts'

const dayOf = (time: string): string => `DATE_FORMAT(${time}, '%Y-%m-%d')`

/** How MySQL and MariaDB write what a sync asks for. Sessions are in UTC. */
const DIALECT: Dialect = {
  identifier: (name) => `\`${name.replaceAll('`', '``')}\``,
  text: (value) => `CAST(${value} AS CHAR)`,
  day: dayOf,
  time: (time) => `DATE_FORMAT(${time}, '%Y-%m-%d %H:%i:%s.%f')`,
  hash: (columns) => {
    const texts = columns.map((column) => `QUOTE(${column})`)
    return `CAST(CONV(LEFT(MD5(CONCAT_WS(',', ${texts.join(', ')})), 12), 16, 10) AS UNSIGNED)`
  },
  isFrom: (time, from) => `IFNULL(${time} >= ${plainText(from)}, 0)`,
  isAtDays: (time, days) => isAtDays(time, dayOf(time), days),
}

const SESSION = [
  'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  "SET SESSION time_zone = '+00:00'",
  'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY',
]

/** Opens a snapshot of a MySQL database: one transaction that only reads. */
export async function openMysql(settings: DatabaseSettings): Promise<SourceDatabase> {
  const { server, isSecured } = databaseAddress(settings.url, 3306)
  const ca = settings.caFile === undefined ? {} : { ca: readFileSync(settings.caFile, 'utf8') }
  const connection = createConnection({
    ...server,
    password: readPassword(settings),
    ...(isSecured && { ssl: { verifyIdentity: true, ...ca } }),
    charset: 'utf8mb4',
    connectTimeout: LIMITS.databaseConnectMs,
    rowsAsArray: true,
    // The bytes of every value, so that no digit and no byte is lost.
    typeCast: (field) => field.buffer(),
  })
  connection.on('error', () => {})
  for (const statement of SESSION) await run(connection, statement)
  return {
    ...DIALECT,
    title: settings.title,
    columnsOf: async (query) => {
      const fields = await run(connection, `SELECT * FROM (${query}\n) AS q LIMIT 0`)
      return fields.map(({ name }) => name)
    },
    read: (query) => readRows(connection, query),
    close: async () => {
      connection.destroy()
    },
  }
}

async function run(connection: Connection, sql: string): Promise<readonly FieldPacket[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly FieldPacket[]>()
  connection.query(sql, (error, _, fields) => {
    if (error) reject(error)
    else resolve(fields ?? [])
  })
  return await promise
}

const BATCH_ROWS = 1000

async function* readRows(connection: Connection, query: string): AsyncGenerator<Uint8Array> {
  let lines: string[] = []
  for await (const row of connection.query(query).stream({ highWaterMark: BATCH_ROWS })) {
    lines.push(lineOf(row))
    if (lines.length === BATCH_ROWS) {
      yield Buffer.from(lines.join(''), 'latin1')
      lines = []
    }
  }
  yield Buffer.from(lines.join(''), 'latin1')
}

/** A line of CSV. Each character stands for one byte. */
function lineOf(row: readonly (Buffer | null)[]): string {
  const values = row.map((value) => {
    return value === null ? '' : `"${value.toString('latin1').replaceAll('"', '""')}"`
  })
  return `${values.join(',')}\n`
}
