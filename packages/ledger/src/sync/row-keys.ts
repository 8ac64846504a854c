import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import type { JudgedRows, RowPlace } from '../import/read-result.ts'
import { LINES_PER_FILE } from '../import/source/stage-file.ts'
import { STAGED } from '../import/source/source-query.ts'

/** The keys of rows that a result names. */
export interface RowKeys {
  /** The key of a row. `unknown` if it has none. */
  of(place: RowPlace): string
}

/** The keys of a result without rows. */
export const NO_KEYS: RowKeys = { of: () => 'unknown' }

const keyRow = z.object({ line: z.coerce.number(), key: z.string() })

/** Reads the keys of the rows that a result names. */
export async function readKeys(
  engine: Queries,
  { skips, leftOut, outdated, rules, reasons, sample }: JudgedRows,
): Promise<RowKeys> {
  const places = [
    ...[...skips, ...reasons].map(({ first }) => first),
    ...[outdated, ...rules, ...(leftOut ? [leftOut] : [])].flatMap((some) => some.places),
    ...sample.map(({ place }) => place),
  ]
  const rows = await readRows(engine, keyRow, {
    sql: `SELECT _line AS line, ifNull(_key, 'unknown') AS key FROM ${STAGED} WHERE _line IN {lines:Array(UInt64)}`,
    parameters: { lines: places.map(lineOf) },
  })
  const keys = new Map(rows.map(({ line, key }) => [line, key]))
  return { of: (place) => keys.get(lineOf(place)) ?? 'unknown' }
}

function lineOf({ file, line }: RowPlace): number {
  return file * LINES_PER_FILE + line
}
