import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { activeRules, brokenRows, type CheckedRows } from './broken-rows.ts'
import type { LedgerRule } from './rules.ts'

/** A rule that rows of the ledger break. */
export type LedgerFault = LedgerRule & Readonly<z.output<typeof faultRow>>

const IDS_MAX = 3

const sumRow = z.object({ currency: z.string(), sum: z.string() })
const faultRow = z.object({
  rule: z.string(),
  rows: z.coerce.number(),
  /** The sum of the amounts of these rows in each currency. Of `statement_total`, the sum of what is missing. */
  sums: z.array(sumRow).readonly(),
  ids: z.array(z.string()).readonly(),
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
    const sums = `SELECT rule, toString(currency) AS currency, count() AS rows, toString(sum(money)) AS sum,
      groupArraySorted(${IDS_MAX})((length(id), id)) AS ids
    FROM (${broken}) ARRAY JOIN broken AS rule GROUP BY rule, currency`
    const sql = `SELECT rule, sum(of_currency.rows) AS rows,
      arraySort(groupArray(CAST((currency, sum) AS Tuple(currency String, sum String)))) AS sums,
      arrayMap(pair -> pair.2, arraySlice(arraySort(groupArrayArray(of_currency.ids)), 1, ${IDS_MAX})) AS ids
    FROM (${sums}) AS of_currency GROUP BY rule`
    const settings = { max_threads: 2, max_execution_time: 0 }
    found.push(...(await readRows(engine, faultRow, { sql, settings })))
  }
  return activeRules(how.severities).flatMap((rule): LedgerFault[] => {
    const fault = found.find((row) => row.rule === rule.name)
    return fault ? [{ ...rule, ...fault }] : []
  })
}
