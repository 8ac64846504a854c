import { closeSync, createWriteStream, openSync, readSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod'
import { type Engine, readRows } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import type { LedgerTable } from '../ledger/model.ts'
import { IN_IDENTIFIER } from './card-numbers.ts'
import { rulesOf } from './table-rules.ts'

const HEADER = '"file","line","last_line","reasons",'

/** In SQL: a row's id; of one that looks like a card number, the first six digits and the last four. */
const MASKED_ID = `if(${IN_IDENTIFIER('id')}, concat(left(id, 6), repeat('*', length(id) - 10), right(id, 4)), id)`

/** Makes place for a list of refused rows. Throws `ledger` where none can be, or something else is. */
export function clearRefused(path: string): void {
  const folder = statSync(dirname(path), { throwIfNoEntry: false })
  const found = statSync(path, { throwIfNoEntry: false })
  const isOurs = found === undefined || (found.isFile() && readStart(path) === HEADER)
  if (!folder?.isDirectory() || !isOurs) {
    const expected =
      'expected an earlier list of refused rows, or nothing, in a folder that is there'
    throw new GatewayError('ledger', `${path}: ${expected}: refused rows would be listed here`)
  }
  rmSync(path, { force: true })
}

function readStart(path: string): string {
  const file = openSync(path, 'r')
  const start = Buffer.alloc(HEADER.length)
  readSync(file, start)
  closeSync(file)
  return start.toString()
}

/**
 * Writes the rows that were refused into a CSV file: the file that each stood in, its first and last line, why it was
 * refused, and its id where it has one, masked where it looks like a card number. Of its other values there is none: they may be what must not be stored.
 */
export async function listRefused(
  engine: Engine,
  table: LedgerTable,
  files: readonly string[],
  path: string,
): Promise<void> {
  const query = {
    sql: `SELECT {files:Array(String)}[file], toString(line), toString(last_line),
      arrayStringConcat(reasons, '; '), ${MASKED_ID}
    FROM import_refused ORDER BY import_refused.file, import_refused.line`,
    parameters: { files },
    settings: { readonly: 1 },
    format: 'CSV',
    role: 'owner' as const,
  }
  const header = `${HEADER}"${rulesOf(table).id}"\n`
  await pipeline(
    async function* () {
      yield Buffer.from(header)
      const chunks = await engine.stream(query, new AbortController().signal)
      // The bytes are the engine's, and gone with its next chunk.
      for await (const { bytes } of chunks) yield Buffer.from(bytes)
    },
    createWriteStream(path, { mode: 0o600 }),
  )
}

/** A reason, and how many rows were refused for it. */
export interface RefusalReason {
  readonly reason: string
  readonly rows: number
}

const reasonRow = z.object({ reason: z.string(), rows: z.coerce.number() })

/** Counts why rows were refused, the most frequent reasons first. A row may have several. */
export async function countReasons(engine: Engine): Promise<readonly RefusalReason[]> {
  const sql = `SELECT arrayJoin(reasons) AS reason, count() AS rows FROM import_refused
    GROUP BY reason ORDER BY rows DESC, reason LIMIT {max:UInt32}`
  return await readRows(engine, reasonRow, { sql, parameters: { max: LIMITS.reasonsShownMax } })
}
