import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { LEDGER_TABLES, type LedgerTable } from '../model/model.ts'
import { placeSchema, type RowPlace } from './check/import-rules.ts'
import { rulesOf } from './table-rules.ts'

/** A row of a file beside its row of the ledger. */
export interface SampledRow {
  readonly place: RowPlace
  /** The values of the file, by column. */
  readonly theirs: Readonly<Record<string, string>>
  /** The values of the ledger, by column. Empty if the row is refused or skipped. */
  readonly ours: Readonly<Record<string, string>>
  /** Why the row is refused or skipped, or `taken`, `unchanged` or `older`. */
  readonly verdict: string
}

// Within a result in JSON, the engine writes a row as an array of one.
const values = z.string().transform((json) => {
  const [members = {}] = z.array(z.record(z.string(), z.unknown())).parse(JSON.parse(json))
  const filled = Object.entries(members).filter(
    ([name, value]) => value !== null && value !== '' && !name.startsWith('_'),
  )
  return Object.fromEntries(filled.map(([name, value]) => [name, String(value)]))
})
const sampledRow = z.object({
  place: placeSchema,
  theirs: values,
  ours: values,
  verdict: z.string(),
})

/**
 * Reads rows of an import with their verdicts: refused rows first.
 *
 * @param staged SQL: the rows of the files
 */
export async function readSample(
  engine: Queries,
  table: LedgerTable,
  staged: string,
  rows: number,
): Promise<readonly SampledRow[]> {
  if (rows === 0) return []
  const { id, version = '0' } = rulesOf(table)
  const own = Object.keys(LEDGER_TABLES[table]).join(', ')
  const sql = `WITH
    verdicts AS (
      SELECT line, arrayStringConcat(reasons, '; ') AS verdict, NULL AS id, NULL AS version, 0 AS place FROM import_refused
      UNION ALL
      SELECT line, toString(verdict), id, version, 1 FROM import_verdicts WHERE verdict != 'refused'
      UNION ALL
      SELECT line, concat('skipped: ', toString(skip)), NULL, NULL, 2 FROM import_skipped),
    chosen AS (SELECT * FROM verdicts ORDER BY place, line LIMIT ${Math.trunc(rows)}),
    found AS (
      SELECT ${id} AS id, ${version} AS version, any(formatRowNoNewline('JSONEachRow', ${own})) AS ours
      FROM import_valid WHERE ${id} IN (SELECT id FROM chosen) GROUP BY id, version),
    files AS (
      SELECT _line AS line, formatRowNoNewline('JSONEachRow', COLUMNS('.*')) AS theirs
      FROM ${staged} WHERE line IN (SELECT line FROM chosen))
  SELECT chosen.line AS place, verdict, ifNull(nullIf(ours, ''), '[]') AS ours, ifNull(nullIf(theirs, ''), '[]') AS theirs
  FROM chosen LEFT JOIN found ON chosen.id = found.id AND chosen.version = found.version
  LEFT JOIN files ON chosen.line = files.line
  ORDER BY chosen.place, chosen.line`
  return await readRows(engine, sampledRow, { sql, parameters: {} })
}
