import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { type Engine, literal, readRows } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import { RELOAD_NAMES } from '../model/names.ts'
import { isLedgerTable, LEDGER_TABLES, type LedgerTable, storedColumns } from '../model/model.ts'

/** A part of a table that is copied and compared as one: a month, or a complete small table. */
export interface CopiedPiece {
  readonly table: string
  readonly piece: string
  readonly rows: number
  /** Whether the rows were there before. */
  readonly isKnown: boolean
}

const MONTHS: Readonly<Record<string, string>> = {
  transactions: 'toYYYYMM(created_at)',
  statements: 'toYYYYMM(business_day)',
}

/** What tells rows apart that change, and their version. A row of another table is another row if anything differs. */
const IDENTITIES: Readonly<Record<string, readonly [identity: string, version: string]>> = {
  transactions: ['toString(tuple(merchant_id, created_at, transaction_id))', 'row_version'],
  // Every ledger begins with the currencies of ISO 4217.
  currencies: ['currency', '0'],
}

// `engine.querySeconds` is for reports.
const WITHOUT_TIME_LIMIT = { max_execution_time: 0 }
const SORT_BYTES_MAX = 128 * 1024 ** 2

/** The count of the rows of a piece, and a hash that does not depend on their order. */
const sumRow = z.object({ piece: z.string(), rows: z.coerce.number(), hash: z.string() })

type PieceSum = z.output<typeof sumRow>

/**
 * Copies the latest versions of all rows to other servers, piece by piece, and compares each piece by count and hash. A
 * piece that is already there is not copied again, so a second call goes on where the first one stopped. A piece that
 * was copied in part is copied again: a row that is there twice counts once.
 *
 * @param servers an engine for each server
 * @throws {GatewayError} `ledger` before the first row is copied, if a server has rows that the source lacks; at the
 *   end, if a server has other rows than the source
 */
export async function copyLedger(
  source: Engine,
  servers: readonly Engine[],
  onPiece: (copied: CopiedPiece) => void,
): Promise<void> {
  const copies: Copy[] = []
  for (const table of Object.keys(LEDGER_TABLES).filter(isLedgerTable)) {
    const sums = await readSums(source, table)
    for (const target of servers) copies.push(await planCopy(source, table, sums, target))
  }
  for (const copy of copies) await copyTable(source, copy, onPiece)
  for (const server of servers) await server.execute(RELOAD_NAMES)
}

interface Copy {
  readonly table: LedgerTable
  readonly target: Engine
  readonly sums: readonly PieceSum[]
  readonly before: readonly PieceSum[]
}

/** Plans to copy a table. Throws if the target has rows that the source lacks: they would stay beside the copied ones. */
async function planCopy(
  source: Engine,
  table: LedgerTable,
  sums: readonly PieceSum[],
  target: Engine,
): Promise<Copy> {
  const before = await readSums(target, table)
  for (const there of before) {
    const here = sums.find(({ piece }) => piece === there.piece)
    if (here && isEqual(here, there)) continue
    if (here && !(await hasOtherRows(source, target, table, here.piece))) continue
    throw new GatewayError(
      'ledger',
      `The cluster has rows in ${table} ${there.piece} that the embedded ledger lacks, or newer ones. The command ` +
        'copied nothing. If you inserted them after a copy, do not copy again. Otherwise delete them, and copy again.',
    )
  }
  return { table, target, sums, before }
}

async function copyTable(
  source: Engine,
  { table, target, sums, before }: Copy,
  onPiece: (copied: CopiedPiece) => void,
): Promise<void> {
  for (const sum of sums) {
    const isKnown = before.some((other) => isEqual(other, sum))
    if (!isKnown) await copyPiece(source, table, sum.piece, target)
    onPiece({ table, piece: sum.piece, rows: sum.rows, isKnown })
  }
  const after = await readSums(target, table)
  const other = [...sums, ...after].find(({ piece }) => {
    const [here, there] = [sums, after].map((all) => all.find((sum) => sum.piece === piece))
    return !here || !there || !isEqual(here, there)
  })
  if (!other) return
  const found = `The cluster has other rows in ${table} ${other.piece} than the embedded ledger.`
  throw new GatewayError('ledger', `${found} Delete them there, and copy again.`)
}

async function copyPiece(
  source: Engine,
  table: LedgerTable,
  piece: string,
  target: Engine,
): Promise<void> {
  const columns = columnsOf(table)
  const body = readBytes(source, 'CSV', `SELECT ${columns} FROM ${rowsOf(table, piece)}`)
  await target.insert({ sql: `INSERT INTO ${table} (${columns}) FORMAT CSV`, body })
}

/**
 * Returns whether the target has a row of a piece that the source lacks, or a newer version of a row. Both engines sort
 * the hashes of their rows, and the function merges the two sorted streams, so that a month of any size takes little
 * memory.
 */
async function hasOtherRows(
  source: Engine,
  target: Engine,
  table: LedgerTable,
  piece: string,
): Promise<boolean> {
  const here = readVersions(source, table, piece)
  try {
    let next = await here.next()
    for await (const row of readVersions(target, table, piece)) {
      while (!next.done && next.value.hash < row.hash) next = await here.next()
      if (next.done || next.value.hash !== row.hash) return true
      if (next.value.version < row.version) return true
    }
    return false
  } finally {
    await here.return()
  }
}

async function* readVersions(
  engine: Engine,
  table: LedgerTable,
  piece: string,
): AsyncGenerator<{ readonly hash: string; readonly version: bigint }, void> {
  const [identity, version] = IDENTITIES[table] ?? [rowText(table), '0']
  const hash = `sipHash64(${identity})`
  const row = `concat(leftPad(hex(${hash}), 16, '0'), ' ', toString(${version}), '\\n')`
  const sql = `SELECT ${row} AS _row FROM ${rowsOf(table, piece)} ORDER BY ${hash}`
  const input = Readable.from(readBytes(engine, 'RawBLOB', sql))
  for await (const line of createInterface({ input })) {
    const [digits = '', number = ''] = line.split(' ')
    yield { hash: digits, version: BigInt(number) }
  }
}

function rowsOf(table: LedgerTable, piece: string): string {
  return `${table} FINAL WHERE ${pieceOf(table)} = ${literal(piece)}`
}

async function* readBytes(
  engine: Engine,
  format: 'CSV' | 'RawBLOB',
  sql: string,
): AsyncGenerator<Uint8Array, void> {
  const settings = {
    ...WITHOUT_TIME_LIMIT,
    readonly: 1,
    max_bytes_before_external_sort: SORT_BYTES_MAX,
  }
  const query = { sql, parameters: {}, settings, role: 'owner', format } as const
  const chunks = await engine.stream(query, new AbortController().signal)
  for await (const { bytes } of chunks) yield bytes
}

async function readSums(engine: Engine, table: LedgerTable): Promise<readonly PieceSum[]> {
  const hash = `sipHash64(${rowText(table)})`
  const sql = `SELECT ${pieceOf(table)} AS piece, count() AS rows, toString(sum(${hash})) AS hash
    FROM ${table} FINAL GROUP BY piece ORDER BY piece`
  return await readRows(engine, sumRow, { sql, settings: WITHOUT_TIME_LIMIT })
}

/** The text of a row, because the hash of a value may differ between versions of ClickHouse. */
function rowText(table: LedgerTable): string {
  return `toString(tuple(${columnsOf(table)}))`
}

/** The copied columns. The cursors of earlier reports stay valid, because `loaded_at` is one of them. */
function columnsOf(table: LedgerTable): string {
  return Object.keys(storedColumns(table)).join(', ')
}

function pieceOf(table: LedgerTable): string {
  return `toString(${MONTHS[table] ?? "'all'"})`
}

function isEqual(one: PieceSum, other: PieceSum): boolean {
  return one.piece === other.piece && one.rows === other.rows && one.hash === other.hash
}
