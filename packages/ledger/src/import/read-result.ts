import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { LIMITS } from '@counterfoil/common'
import { LEDGER_TABLES, type LedgerTable } from '../model/model.ts'
import { activeRules, type CheckedRows } from '../rules/broken-rows.ts'
import { rulesOf } from './table-rules.ts'

/** A line of the files (`LINES_PER_FILE`). 0 if the source does not say it. */
const line = z.coerce.number()

/** Some rows: how many they are, and the lines of the first of them. */
const someRows = z.object({ rows: z.coerce.number(), lines: z.array(line).readonly() })
const LINES_MAX = 3
const SOME_ROWS = `count() AS rows, groupArraySorted(${LINES_MAX})(line) AS lines`

const reasonRow = z.object({ reason: z.string(), rows: z.coerce.number(), first: line })
const ruleRow = someRows.extend({ rule: z.string(), isRefused: z.coerce.boolean() })
const sumRow = z.object({
  /** The value of `_skip`. Empty for accepted rows: taken, or in the ledger already. */
  skip: z.string(),
  type: z.string(),
  status: z.string(),
  currency: z.string(),
  rows: z.coerce.number(),
  amount: z.string(),
  net: z.string(),
})

// Within a result in JSON, the engine writes a row as an array of one.
const values = z.string().transform((json) => {
  const [members = {}] = z.array(z.record(z.string(), z.unknown())).parse(JSON.parse(json))
  const filled = Object.entries(members).filter(
    ([name, value]) => value !== null && value !== '' && !name.startsWith('_'),
  )
  return Object.fromEntries(filled.map(([name, value]) => [name, String(value)]))
})
const sampledRow = z.object({
  line,
  /** The values of the file, by column. */
  theirs: values,
  /** The values of the ledger, by column. Empty if the row is refused or skipped. */
  ours: values,
  /** Why the row is refused or skipped, or `taken`, `unchanged`, `older` or `outdated`. */
  verdict: z.string(),
})

/** A row of a file beside its row of the ledger. */
export type SampledRow = z.output<typeof sampledRow>

export async function readSome(engine: Queries, rows: string) {
  const [found] = await readRows(engine, someRows, `SELECT ${SOME_ROWS} FROM ${rows}`)
  return found ?? { rows: 0, lines: [] }
}

/** Counts the reasons of rows, the most frequent first. `reason` is SQL, and a row may have several. */
export async function countReasons(engine: Queries, reason: string, from: string) {
  const sql = `SELECT ${reason} AS reason, count() AS rows, min(line) AS first FROM ${from}
    GROUP BY reason ORDER BY rows DESC, reason LIMIT {max:UInt32}`
  return await readRows(engine, reasonRow, { sql, parameters: { max: LIMITS.reasonsShownMax } })
}

export async function readBrokenRules(engine: Queries, severities: CheckedRows['severities']) {
  const sql = `SELECT toString(broken.rule) AS rule, verdict = 'refused' AS isRefused, ${SOME_ROWS}
    FROM import_verdicts AS verdicts
    INNER JOIN (SELECT DISTINCT rule, id, version FROM import_broken) AS broken USING (id, version)
    WHERE verdict IN ('taken', 'refused') GROUP BY rule, verdict`
  const counted = await readRows(engine, ruleRow, sql)
  return activeRules(severities).flatMap((rule) => {
    const found = counted.find((row) => {
      return row.rule === rule.name && row.isRefused === (rule.severity === 'refuse')
    })
    return found === undefined ? [] : [{ ...rule, rows: found.rows, lines: found.lines }]
  })
}

const SUMS_MAX = 100

/** Sums the transactions of an import by type, status and currency: accepted rows, and rows that the source skips. */
export async function readSums(engine: Queries, table: LedgerTable) {
  if (table !== 'transactions') return []
  const number = (text: string) => `toDecimal128OrZero(${text}, 4)`
  const sql = `SELECT skip, type, status, currency, count() AS rows, toString(sum(money)) AS amount, toString(sum(net)) AS net
  FROM (
    SELECT '' AS skip, toString(transaction_type) AS type, toString(status) AS status, toString(currency) AS currency,
      toDecimal128(amount, 4) AS money, toDecimal128(ifNull(net_amount, 0), 4) AS net
    FROM (
      SELECT * FROM import_valid WHERE (transaction_id, row_version) IN (
        SELECT id, version FROM import_verdicts WHERE verdict IN ('taken', 'unchanged'))
      LIMIT 1 BY transaction_id, row_version)
    UNION ALL
    SELECT toString(skip), raw_transaction_type, raw_status, raw_currency, ${number('raw_amount')},
      ${number('raw_net_amount')}
    FROM import_rows WHERE skip != '')
  GROUP BY skip, type, status, currency ORDER BY skip, currency, type, status LIMIT ${SUMS_MAX}`
  return await readRows(engine, sumRow, sql)
}

/** Reads rows of an import with their verdicts: refused rows first. `staged` is SQL: the rows of the files. */
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
      SELECT line, concat('skipped: ', toString(skip)), NULL, NULL, 2 FROM import_rows WHERE skip != ''),
    chosen AS (SELECT * FROM verdicts ORDER BY place, line LIMIT ${Math.trunc(rows)}),
    found AS (
      SELECT ${id} AS id, ${version} AS version, any(formatRowNoNewline('JSONEachRow', ${own})) AS ours
      FROM import_valid WHERE ${id} IN (SELECT id FROM chosen) GROUP BY id, version),
    files AS (
      SELECT _line AS line, formatRowNoNewline('JSONEachRow', COLUMNS('.*')) AS theirs
      FROM ${staged} WHERE line IN (SELECT line FROM chosen))
  SELECT chosen.line AS line, verdict, ifNull(nullIf(ours, ''), '[]') AS ours, ifNull(nullIf(theirs, ''), '[]') AS theirs
  FROM chosen LEFT JOIN found ON chosen.id = found.id AND chosen.version = found.version
  LEFT JOIN files ON chosen.line = files.line
  ORDER BY chosen.place, chosen.line`
  return await readRows(engine, sampledRow, sql)
}
