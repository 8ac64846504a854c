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

// `engine.querySeconds` is for reports.
const WITHOUT_TIME_LIMIT = { max_execution_time: 0 }

/** The count of the rows of a piece, and a hash that does not depend on their order. */
const sumRow = z.object({ piece: z.string(), rows: z.coerce.number(), hash: z.string() })

type PieceSum = z.output<typeof sumRow>

/**
 * Copies the latest versions of all rows to other servers, piece by piece, and compares each piece by count and hash. A
 * piece that is already there is not copied again, so a second call goes on where the first one stopped. A piece that
 * was copied in part is copied again: a row that is there twice counts once.
 *
 * @param servers an engine for each server
 * @throws {GatewayError} `ledger` before the first row is copied, if a server has as many rows of a piece or more,
 *   and others; at the end, if a server has other rows than the source
 */
export async function copyLedger(
  source: Engine,
  servers: readonly Engine[],
  onPiece: (copied: CopiedPiece) => void,
): Promise<void> {
  const copies: Copy[] = []
  for (const table of Object.keys(LEDGER_TABLES).filter(isLedgerTable)) {
    const sums = await readSums(source, table)
    for (const target of servers) {
      const before = await readSums(target, table)
      refuseOthers(table, sums, before)
      copies.push({ table, target, sums, before })
    }
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

/** Throws if a target has other rows than the source. A piece that was copied in part has fewer. */
function refuseOthers(
  table: LedgerTable,
  sums: readonly PieceSum[],
  before: readonly PieceSum[],
): void {
  const other = before.find((there) => {
    const here = sums.find(({ piece }) => piece === there.piece)
    // Every ledger begins with the currencies of ISO 4217.
    const rowsMax = (here?.rows ?? 0) - (table === 'currencies' ? 0 : 1)
    return there.rows > rowsMax && !(here && isEqual(here, there))
  })
  if (!other) return
  throw new GatewayError(
    'ledger',
    `The cluster has rows in ${table} ${other.piece} that the embedded ledger lacks, or newer ones. The command ` +
      'copied nothing. If you inserted them after a copy, do not copy again. Otherwise delete them, and copy again.',
  )
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
  const sql = `SELECT ${columns} FROM ${table} FINAL WHERE ${pieceOf(table)} = ${literal(piece)}`
  const settings = { ...WITHOUT_TIME_LIMIT, readonly: 1 }
  const query = { sql, parameters: {}, settings, role: 'owner', format: 'CSV' } as const
  const rows = async function* () {
    for await (const { bytes } of await source.stream(query, new AbortController().signal))
      yield bytes
  }
  await target.insert({ sql: `INSERT INTO ${table} (${columns}) FORMAT CSV`, body: rows() })
}

async function readSums(engine: Engine, table: LedgerTable): Promise<readonly PieceSum[]> {
  // The hash of the text, because that of a value may differ between versions of ClickHouse.
  const hash = `sipHash64(toString(tuple(${columnsOf(table)})))`
  const sql = `SELECT ${pieceOf(table)} AS piece, count() AS rows, toString(sum(${hash})) AS hash
    FROM ${table} FINAL GROUP BY piece ORDER BY piece`
  return await readRows(engine, sumRow, { sql, settings: WITHOUT_TIME_LIMIT })
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
