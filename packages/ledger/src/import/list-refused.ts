import { closeSync, createWriteStream, openSync, readSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Queries } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import type { LedgerTable } from '../model/model.ts'
import { IN_IDENTIFIER } from './check/card-numbers.ts'
import { LINES_PER_FILE } from './source/stage-file.ts'
import { rulesOf } from './table-rules.ts'

const HEADER = '"file","line","reasons",'

/** SQL: a row's id. If it looks like a card number, only its first six and last four digits. A formula gets a quote. */
const MASKED_ID = `multiIf(${IN_IDENTIFIER('id')}, concat(left(id, 6), repeat('*', length(id) - 10), right(id, 4)),
  match(id, '^[=+@\\t\\r-]'), concat('\\'', id), id)`

/**
 * Removes an earlier list of refused rows.
 *
 * @throws {GatewayError} `ledger` if the folder is missing, or if another file has this name
 */
export function clearRefused(path: string): void {
  const folder = statSync(dirname(path), { throwIfNoEntry: false })
  const existing = statSync(path, { throwIfNoEntry: false })
  const isOurs = existing === undefined || (existing.isFile() && readStart(path) === HEADER)
  if (!folder?.isDirectory() || !isOurs) {
    const advice = 'Name a new file in an existing folder, or an earlier list of refused rows'
    throw new GatewayError('ledger', `${path}: cannot list refused rows in this file. ${advice}`)
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
 * Writes the refused rows into a CSV file: for each its file, its line, the reasons, and its id. The list has no other
 * values, because they may be data that must not be stored.
 */
export async function listRefused(
  engine: Queries,
  table: LedgerTable,
  files: readonly string[],
  path: string,
): Promise<void> {
  const query = {
    sql: `SELECT {files:Array(String)}[intDiv(line, ${LINES_PER_FILE})], toString(line % ${LINES_PER_FILE}),
      arrayStringConcat(reasons, '; '), ${MASKED_ID}
    FROM import_refused ORDER BY import_refused.line`,
    parameters: { files },
    settings: { readonly: 1 },
    format: 'CSV' as const,
    role: 'owner' as const,
  }
  const header = `${HEADER}"${rulesOf(table).id}"\n`
  await pipeline(
    async function* () {
      yield Buffer.from(header)
      const chunks = await engine.stream(query, new AbortController().signal)
      // The engine reuses the memory of a chunk for the next one.
      for await (const { bytes } of chunks) yield Buffer.from(bytes)
    },
    // Another user of a shared folder could have put a link to a file of ours there, since `clearRefused`.
    createWriteStream(path, { mode: 0o600, flags: 'wx' }),
  )
}
