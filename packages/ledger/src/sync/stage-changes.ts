import { buffer } from 'node:stream/consumers'
import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import type { SourceDatabase } from '@counterfoil/databases'
import { requireColumns } from '../import/source/read-columns.ts'
import { stageCsv, stagedTable } from '../import/source/stage-file.ts'
import type { DatabaseHead, Source } from '../import/source/source.ts'
import { STAGED, SYNC_COLUMNS } from '../import/source/source-query.ts'
import { HELD_ROWS, STAGED_ROWS } from './synced-rows.ts'

export interface ChangesToRead {
  /** The change from which it reads, as the database writes times. Undefined without a column of changes. */
  readonly from: string | undefined
  /** The first day of creation that it compares; empty for all days. Undefined to read every row. */
  readonly fromDay: string | undefined
  readonly rowsMax?: number
}

type Digests = ReadonlyMap<string, string>

const digestRow = z.object({ day: z.string(), rows: z.string(), sum: z.string() })
const faultRow = z.object({
  missing: z.coerce.number(),
  repeated: z.coerce.number(),
  timeless: z.coerce.number(),
})

// Engines add large numbers up differently.
const SUM_MODULUS = 2n ** 64n

/**
 * Stages the rows of a database that changed: by the column of changes, and all rows of the days whose counts and
 * hashes differ from what the last sync saw. So it finds deleted rows, and changes that the column does not show.
 *
 * @returns the columns of the query, and the days of creation that were read completely, or `all`
 * @throws {GatewayError} `ledger` if the database cannot be read, `config` if the query lacks a column of the head
 */
export async function stageChanges(
  engine: Queries,
  database: SourceDatabase,
  source: Source & { readonly database: DatabaseHead },
  { from, fromDay, rowsMax }: ChangesToRead,
): Promise<{ readonly columns: readonly string[]; readonly days: readonly string[] | 'all' }> {
  const { query, changed, created } = source.database
  const columns = await database.columnsOf(query)
  requireColumnsOf(source, columns)
  const read = queriesOf(database, source.database, columns)
  const staged = requireColumns(
    source.path,
    [...columns, ...SYNC_COLUMNS].map((name) => ({ name })),
  )
  await engine.execute(stagedTable(STAGED, staged))
  const stage = async (pass: number, where: string) => {
    await stageCsv(engine, STAGED, staged, pass, database.read(read.rows(where)))
  }
  if (fromDay === undefined) {
    await stage(1, rowsMax === undefined ? '' : `LIMIT ${rowsMax}`)
    await requireKeys(engine, source)
    return { columns, days: 'all' }
  }
  // Read before the rows: a change in between makes the next sync read them again.
  const now = await readDigests(database.read(read.digests(fromDay)))
  if (changed !== undefined && from !== undefined) {
    await stage(1, `WHERE ${database.isFrom(read.column(changed), from)}`)
  }
  const before = await readSyncedDigests(engine, source.name, created ? fromDay : '')
  const days = [...new Set([...now.keys(), ...before.keys()])]
    .filter((day) => now.get(day) !== before.get(day))
    .toSorted()
  const timeless = created === undefined ? 0 : Number(now.get('')?.split(' ')[0] ?? 0)
  if (timeless > 0) throw timelessFault(source.path, timeless)
  if (days.length > 0) {
    await engine.execute(
      `ALTER TABLE ${STAGED} DELETE WHERE ifNull(_day, '') IN {days:Array(String)} SETTINGS mutations_sync = 1`,
      { days },
    )
    await stage(2, created ? `WHERE ${database.isAtDays(read.column(created), days)}` : '')
  }
  await requireKeys(engine, source)
  return { columns, days }
}

function requireColumnsOf(
  { path, database: { key, changed, created } }: Parameters<typeof stageChanges>[2],
  columns: readonly string[],
): void {
  const fail = (message: string): never => {
    throw new GatewayError('config', `${path}: ${message}`)
  }
  const repeated = columns.find((name, at) => columns.indexOf(name) < at)
  if (repeated !== undefined) fail(`query: expected each column once, got ${repeated} twice`)
  for (const [member, name] of Object.entries({ key, changed, created })) {
    if (name === undefined || columns.includes(name)) continue
    fail(`${member}: the query has no column ${name}. It has ${columns.join(', ')}`)
  }
}

function queriesOf(database: SourceDatabase, head: DatabaseHead, columns: readonly string[]) {
  const { query, key, changed, created } = head
  const column = (name: string): string => `q.${database.identifier(name)}`
  const day = created === undefined ? "''" : database.day(column(created))
  const hash = database.hash(columns.map(column))
  const own = [
    database.text(column(key)),
    day,
    hash,
    changed === undefined ? "''" : database.time(column(changed)),
  ].map((sql, at) => `${sql} AS ${database.identifier(SYNC_COLUMNS[at] ?? '')}`)
  return {
    column,
    rows: (where: string) => `SELECT q.*, ${own.join(', ')} FROM (${query}\n) AS q ${where}`,
    digests: (fromDay: string) => {
      const from = created !== undefined && fromDay !== ''
      const where = from ? `WHERE ${database.isFrom(column(created), `${fromDay} 00:00:00`)}` : ''
      return `SELECT ${day} AS day_, count(*), sum(${hash}) FROM (${query}\n) AS q ${where} GROUP BY 1`
    },
  }
}

async function readDigests(csv: AsyncIterable<Uint8Array>): Promise<Digests> {
  const lines = (await buffer(csv)).toString().replaceAll('"', '').split('\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [day = '', rows = '', sum = '0'] = line.split(',')
      return [day, `${rows} ${BigInt(sum) % SUM_MODULUS}`]
    }),
  )
}

/** The digests of what the last sync saw and of what this one has staged. */
async function readSyncedDigests(
  engine: Queries,
  source: string,
  fromDay: string,
): Promise<Digests> {
  const rows = await readRows(engine, digestRow, {
    sql: `SELECT day, toString(count()) AS rows, toString(sum(hash)) AS sum FROM (
      SELECT day, hash FROM ${HELD_ROWS} AND (day, key) NOT IN (SELECT day, key FROM ${STAGED_ROWS})
      UNION ALL SELECT day, hash FROM ${STAGED_ROWS})
    WHERE day >= {from:String} GROUP BY day`,
    parameters: { source, from: fromDay },
  })
  return new Map(rows.map(({ day, rows: count, sum }) => [day, `${count} ${sum}`]))
}

function timelessFault(path: string, rows: number): GatewayError {
  const message = `created: expected a time in every row. ${rows} rows have none`
  return new GatewayError('config', `${path}: ${message}`)
}

async function requireKeys(engine: Queries, { path, database }: Source): Promise<void> {
  const sql = `SELECT countIf(_key IS NULL) AS missing, count() - uniqExact(sipHash64(_key)) AS repeated,
    countIf(_day IS NULL) AS timeless FROM ${STAGED}`
  const [found] = await readRows(engine, faultRow, sql)
  if (database?.created !== undefined && found && found.timeless > 0) {
    throw timelessFault(path, found.timeless)
  }
  if (!found || found.missing + found.repeated === 0) return
  const message = `key: expected a ${database?.key} in every row, and each once. ${found.missing} rows have none, ${found.repeated} repeat one`
  throw new GatewayError('config', `${path}: ${message}`)
}
