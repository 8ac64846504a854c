import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { activeRules, brokenRows, type CheckedRows } from './broken-rows.ts'
import type { LedgerRule } from './rules.ts'

/** A rule that rows of the ledger break. */
export interface LedgerFault extends Pick<LedgerRule, 'name' | 'severity' | 'sentence'> {
  readonly rows: number
  /** The sum of the amounts of these rows in each currency. Of \`statement_total\`, the sum of what is missing. */
  readonly sums: readonly { readonly currency: string; readonly sum: string }[]
  /** The smallest ids of these rows. */
  readonly ids: readonly string[]
}

const IDS_MAX = 3

const faultRow = z.object({
  rule: z.string(),
  currency: z.string(),
  rows: z.coerce.number(),
  sum: z.string(),
  ids: z.array(z.string()),
})

/** Checks every row of the ledger by the rules of the import, and returns the rules that rows break. */
export async function verifyLedger(
  engine: Queries,
  how: Pick<CheckedRows, 'severities' | 'tomorrowMs'>,
): Promise<readonly LedgerFault[]> {
  const queries = (['transactions', 'statements'] as const).flatMap((table) => {
    return brokenRows({ ...how, rows: 'ledger', table })
  })
  const found: z.output<typeof faultRow>[] = []
  for (const { sql: broken } of queries) {
    const sql = `SELECT rule, toString(currency) AS currency, count() AS rows, toString(sum(money)) AS sum,
      arrayMap(pair -> pair.2, groupArraySorted(${IDS_MAX})((length(id), id))) AS ids
    FROM (${broken}) ARRAY JOIN broken AS rule GROUP BY rule, currency ORDER BY rule, currency`
    const settings = { max_threads: 2, max_execution_time: 0 }
    found.push(...(await readRows(engine, faultRow, { sql, parameters: {}, settings })))
  }
  return activeRules(how.severities).flatMap(({ name, severity, sentence }): LedgerFault[] => {
    const own = found.filter(({ rule }) => rule === name)
    if (own.length === 0) return []
    const ids = own
      .flatMap((row) => row.ids)
      .toSorted((one, other) => one.length - other.length || (one < other ? -1 : 1))
    return [
      {
        name,
        severity,
        sentence,
        rows: own.reduce((sum, { rows }) => sum + rows, 0),
        sums: own.map(({ currency, sum }) => ({ currency, sum })),
        ids: ids.slice(0, IDS_MAX),
      },
    ]
  })
}
