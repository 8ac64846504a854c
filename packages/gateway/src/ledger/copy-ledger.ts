import * as z from 'zod'
import { literal } from '../clickhouse/literals.ts'
import { type Engine, type EngineChunk, readRows } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import { LEDGER_TABLES, type LedgerTable } from './model.ts'

/** A part of a table that is copied and compared as one: a month, or a complete small table. */
export interface CopiedPiece {
  readonly table: string
  readonly piece: string
  readonly rows: number
  /** Whether the rows were there before. */
  readonly isKnown: boolean
}

/** The pieces of the large tables. */
const MONTHS: Readonly<Record<string, string>> = {
  transactions: 'toYYYYMM(created_at)',
  statements: 'toYYYYMM(business_day)',
}

// Each statement makes a part of a table, and many small parts are slow to merge. The last chunk of a statement may be
// larger than all before it, and a server takes 32 million characters in any case.
const STATEMENT_LENGTH = 8 * 1024 ** 2

/** The count of the rows of a piece, and a hash that does not depend on their order. */
const sumRow = z.object({ piece: z.string(), rows: z.coerce.number(), hash: z.string() })

type PieceSum = z.output<typeof sumRow>

/**
 * Copies the latest versions of all rows to other servers, piece by piece, and compares each piece by count and hash. A
 * piece that is already there is not copied again, so a second call goes on where the first one stopped. A piece that
 * was copied in part is copied again: a row that is there twice counts once.
 *
 * @param cluster the engine that asks any of the servers
 * @param servers an engine for each server
 * @throws {GatewayError} `ledger` if a server has other rows than the source
 */
export async function copyLedger(
  source: Engine,
  cluster: Engine,
  servers: readonly Engine[],
  onPiece: (copied: CopiedPiece) => void,
): Promise<void> {
  for (const table of Object.keys(LEDGER_TABLES).filter(isLedgerTable)) {
    const shardTable = cluster.shardTables?.[table]
    const targets = shardTable === undefined ? servers : [cluster]
    const sums = await readSums(source, table, table)
    for (const target of targets) {
      await copyTable(source, table, sums, { engine: target, name: shardTable ?? table }, onPiece)
    }
  }
  for (const server of servers) await server.execute('SYSTEM RELOAD DICTIONARIES')
}

interface Target {
  readonly engine: Engine
  /** The name of the table there. */
  readonly name: string
}

async function copyTable(
  source: Engine,
  table: LedgerTable,
  sums: readonly PieceSum[],
  { engine, name }: Target,
  onPiece: (copied: CopiedPiece) => void,
): Promise<void> {
  const before = await readSums(engine, table, name)
  for (const sum of sums) {
    const isKnown = before.some((other) => isEqual(other, sum))
    if (!isKnown) await copyPiece(source, table, sum.piece, { engine, name })
    onPiece({ table, piece: sum.piece, rows: sum.rows, isKnown })
  }
  const after = await readSums(engine, table, name)
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
  { engine, name }: Target,
): Promise<void> {
  const columns = Object.keys(LEDGER_TABLES[table]).join(', ')
  const chunks = await source.stream(
    {
      sql: `SELECT ${columns} FROM ${table} FINAL WHERE ${pieceOf(table)} = ${literal(piece)}`,
      parameters: {},
      settings: { readonly: 1, output_format_json_quote_decimals: 1 },
      role: 'owner',
      format: 'JSONEachRow',
    },
    new AbortController().signal,
  )
  for await (const lines of joinLines(chunks, STATEMENT_LENGTH)) {
    await engine.execute(`INSERT INTO ${name} (${columns})
    SETTINGS distributed_foreground_insert = 1 FORMAT JSONEachRow\n${lines}`)
  }
}

/** Joins the chunks of a result to texts of complete lines. Each text but the last has at least `lengthMin` characters. */
export async function* joinLines(
  chunks: AsyncIterable<Pick<EngineChunk, 'bytes'>>,
  lengthMin: number,
): AsyncGenerator<string, void> {
  let text = ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const { bytes } of chunks) {
    text += decoder.decode(bytes, { stream: true })
    const end = text.lastIndexOf('\n') + 1
    if (end < lengthMin) continue
    yield text.slice(0, end)
    text = text.slice(end)
  }
  text += decoder.decode()
  if (text !== '') yield text
}

/** Reads count and hash of each piece of a table. */
async function readSums(
  engine: Engine,
  table: LedgerTable,
  name: string,
): Promise<readonly PieceSum[]> {
  // The text of a row, because the hash of a value may differ between versions of ClickHouse.
  const row = `toString(tuple(${Object.keys(LEDGER_TABLES[table]).join(', ')}))`
  const sql = `SELECT ${pieceOf(table)} AS piece, count() AS rows, toString(sum(sipHash64(${row}))) AS hash
    FROM ${name} FINAL GROUP BY piece ORDER BY piece`
  return await readRows(engine, sumRow, { sql, parameters: {} })
}

function pieceOf(table: LedgerTable): string {
  return `toString(${MONTHS[table] ?? "'all'"})`
}

function isEqual(one: PieceSum, other: PieceSum): boolean {
  return one.piece === other.piece && one.rows === other.rows && one.hash === other.hash
}

function isLedgerTable(name: string): name is LedgerTable {
  return Object.hasOwn(LEDGER_TABLES, name)
}
