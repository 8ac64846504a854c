import { closeSync, createWriteStream, openSync, readSync, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { diskFault, type Queries } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import type { LedgerTable } from '../model/model.ts'
import { IN_IDENTIFIER } from './check/card-numbers.ts'
import { recordOf } from './import-records.ts'
import { type LedgerAccess, whileImporting } from './imports.ts'
import type { JudgeOptions } from './compare-with-ledger.ts'
import { type JudgedRows, judgeRows, prepareTaken } from './judge-rows.ts'
import { lookupTable, STAGED } from './source/source-query.ts'
import { LINES_PER_FILE, openFile, PLAIN_CSV, stagedTable, stageFile } from './source/stage-file.ts'
import type { Source } from './source/source.ts'
import { rulesOf } from './table-rules.ts'

/** The input of an import. */
export interface ImportOptions extends JudgeOptions {
  /** All files form one import: it takes all of them or none. */
  readonly files: readonly string[]
  /** The folder whose disk has the ledger, for the error of a full disk. */
  readonly dataDir: string
  /** Where the refused rows are listed. The file exists only if rows are refused. Without it, there is no list. */
  readonly refusedFile?: string | undefined
}

const DISK_WORK = { work: 'this import', retry: 'import the same files again' }

/**
 * Imports files into a table of the ledger by a source. It takes good rows, and lists refused rows with their lines. If
 * the process dies, the ledger has all taken rows or none.
 *
 * @throws {GatewayError} `ledger` for a file that cannot be read, `config` for a SELECT that the engine refuses. The
 *   ledger has no row of the files then.
 */
export async function importFiles(
  ledger: LedgerAccess,
  options: ImportOptions,
): Promise<JudgedRows> {
  return await whileImporting(ledger, async () => {
    return await takeFiles(ledger, options).catch((error: unknown) => {
      throw diskFault(options.dataDir, error, DISK_WORK) ?? error
    })
  })
}

async function takeFiles(
  { engine, imports }: LedgerAccess,
  options: ImportOptions,
): Promise<JudgedRows> {
  const { source, refusedFile } = options
  if (refusedFile !== undefined) clearRefused(refusedFile)
  const judged = await judgeRows(engine, options, await stageFiles(engine, options))
  if (options.sampleRows !== undefined) return judged
  const { taken, refused } = judged
  if (refused > 0 && refusedFile !== undefined) {
    await listRefused(engine, source.table, options.files, refusedFile)
  }
  await prepareTaken(engine, options, judged)
  const files = options.files.map((file) => basename(file))
  if (taken + refused > 0) await imports.commit(recordOf(options, judged, files))
  return judged
}

export async function stageLookups(engine: Queries, source: Source): Promise<void> {
  for (const [name, path] of Object.entries(source.lookups)) {
    const file = await openFile(path, PLAIN_CSV)
    await engine.execute(stagedTable(lookupTable(name), file.columns))
    await stageFile(engine, lookupTable(name), file, 1, PLAIN_CSV)
  }
}

/** Inserts the rows of all files as texts. Returns the columns of the files. */
async function stageFiles(
  engine: Queries,
  { source, files, onProgress = () => {} }: ImportOptions,
): Promise<readonly string[]> {
  await stageLookups(engine, source)
  const opened = []
  for (const path of files) opened.push(await openFile(path, source))
  const [first] = opened
  if (first === undefined) return []
  const names = new Set(first.columns.map(({ name }) => name))
  const other = opened.find(({ columns }) => {
    return columns.length !== names.size || !columns.every(({ name }) => names.has(name))
  })
  if (other !== undefined) {
    const expected = `expected the same columns as in ${first.path}`
    throw new GatewayError('ledger', `${other.path}: ${expected}`)
  }
  await engine.execute(stagedTable(STAGED, first.columns))
  const total = opened.reduce((sum, { bytes }) => sum + bytes, 0)
  let before = 0
  for (const [at, file] of opened.entries()) {
    await stageFile(engine, STAGED, file, at + 1, source, (bytes) => {
      onProgress('reading', before + bytes, total)
    })
    before += file.bytes
  }
  return [...names]
}

const HEADER = '"file","line","reasons",'

/** SQL: a row's id. If it looks like a card number, only its first six and last four digits. A formula gets a quote. */
const MASKED_ID = `multiIf(${IN_IDENTIFIER('id')}, concat(left(id, 6), repeat('*', length(id) - 10), right(id, 4)),
  match(id, '^[=+@\\t\\r-]'), concat('\\'', id), id)`

/** Removes an earlier list of refused rows. Throws if another file has this name. */
function clearRefused(path: string): void {
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
async function listRefused(
  engine: Queries,
  table: LedgerTable,
  files: readonly string[],
  path: string,
): Promise<void> {
  const sql = `SELECT {files:Array(String)}[intDiv(line, ${LINES_PER_FILE})], toString(line % ${LINES_PER_FILE}),
      arrayStringConcat(reasons, '; '), ${MASKED_ID}
    FROM import_refused ORDER BY import_refused.line`
  const asked = { settings: { readonly: 1 }, format: 'CSV', role: 'owner' } as const
  const query = { sql, parameters: { files }, ...asked }
  await pipeline(
    async function* () {
      yield `${HEADER}"${rulesOf(table).id}"\n`
      const chunks = await engine.stream(query, new AbortController().signal)
      for await (const { bytes } of chunks) yield bytes
    },
    // Another user of a shared folder could have put a link to a file of ours there, since `clearRefused`.
    createWriteStream(path, { mode: 0o600, flags: 'wx' }),
  )
}
