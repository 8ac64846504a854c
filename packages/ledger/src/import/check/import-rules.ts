import * as z from 'zod'
import { literals, type Queries, readRows } from '@counterfoil/engine'
import {
  activeRules,
  brokenRows,
  type CheckedRows,
  type RuledTable,
} from '../../rules/broken-rows.ts'
import type { LedgerTable } from '../../model/model.ts'
import type { LedgerRule } from '../../rules/rules.ts'
import { countRows } from '../import-tables.ts'
import { LINES_PER_FILE } from '../source/stage-file.ts'

/** A row of the files: the number of its file from 1, and its line. Both are 0 if the source does not say them. */
export interface RowPlace {
  readonly file: number
  readonly line: number
}

/** Reads a place from the column `line` of a table of an import. */
export const placeSchema = z.coerce.number().transform((line): RowPlace => {
  return { file: Math.floor(line / LINES_PER_FILE), line: line % LINES_PER_FILE }
})

/** A rule that rows of an import broke. */
export interface BrokenRule extends Pick<LedgerRule, 'name' | 'severity' | 'sentence'> {
  /** How many rows were refused, or were taken with a warning. */
  readonly rows: number
  /** The first of these rows. */
  readonly places: readonly RowPlace[]
}

/** What an import says beside its counts. */
export interface ImportNotes {
  /** How many rows had times with digits after their milliseconds. The import cut these digits. */
  readonly cut: number
  /** How many rows were skipped, because the ledger has a newer version. */
  readonly skipped: number
  /** The first of these rows. */
  readonly skippedPlaces: readonly RowPlace[]
  readonly rules: readonly BrokenRule[]
}

const PLACES_MAX = 3
const FIRST_PLACES = `groupArraySorted(${PLACES_MAX})(line)`

const ruleRow = z.object({
  rule: z.string(),
  verdict: z.string(),
  rows: z.coerce.number(),
  places: z.array(placeSchema),
})
const noteRow = z.object({ rows: z.coerce.number(), places: z.array(placeSchema) })
const cutRow = z.object({ rows: z.coerce.number() })

/** Whether the rows of a table follow rules. */
function isRuled(table: LedgerTable): table is RuledTable {
  return table === 'transactions' || table === 'statements'
}

/** Writes the rows of `import_valid` that break a rule to `import_broken`. */
export async function findBroken(
  engine: Queries,
  table: LedgerTable,
  how: Pick<CheckedRows, 'severities' | 'tomorrowMs'>,
): Promise<void> {
  if (!isRuled(table)) return
  for (const { column, sql } of brokenRows({ ...how, rows: 'import', table })) {
    // The engine takes much longer to prepare the query.
    if ((await countRows(engine, `import_valid WHERE isNotNull(${column})`)) === 0) continue
    await engine.execute(`INSERT INTO import_broken
    SELECT rule, id, version FROM (${sql}) ARRAY JOIN broken AS rule
    SETTINGS max_threads = 2`)
  }
}

/** SQL: the reasons of rows that rules refuse, by `id` and `version`. */
export function refusedByRules(severities: CheckedRows['severities'], where: string): string {
  const rules = activeRules(severities).filter(({ severity }) => severity === 'refuse')
  const names = `CAST(${literals(rules.map(({ name }) => name))} AS Array(String))`
  const reasons = `CAST(${literals(rules.map(reasonOf))} AS Array(String))`
  const reason = `transform(toString(rule), ${names}, ${reasons}, '')`
  return `SELECT id, version, arrayStringConcat(arraySort(groupUniqArray(${reason})), '; ') AS rule_reasons
    FROM import_broken WHERE has(${names}, toString(rule)) AND ${where}
    GROUP BY id, version`
}

/** The reason of a row that a rule refuses. */
export function reasonOf({ name, sentence }: Pick<LedgerRule, 'name' | 'sentence'>): string {
  return `${sentence} (rule ${name})`
}

/** Reads what an import says beside its counts, after the rows have been compared. */
export async function readNotes(
  engine: Queries,
  severities: CheckedRows['severities'],
): Promise<ImportNotes> {
  const [cut] = await readRows(engine, cutRow, {
    sql: 'SELECT countIf(is_cut) AS rows FROM import_lines',
    parameters: {},
  })
  const [skipped] = await readRows(engine, noteRow, {
    sql: `SELECT count() AS rows, ${FIRST_PLACES} AS places FROM import_verdicts WHERE verdict = 'skipped'`,
    parameters: {},
  })
  const counted = await readRows(engine, ruleRow, {
    sql: `SELECT toString(broken.rule) AS rule, toString(verdict) AS verdict, count() AS rows, ${FIRST_PLACES} AS places
    FROM import_verdicts AS verdicts
    INNER JOIN (SELECT DISTINCT rule, id, version FROM import_broken) AS broken USING (id, version)
    WHERE verdict IN ('taken', 'refused') GROUP BY rule, verdict`,
    parameters: {},
  })
  const rules = activeRules(severities).flatMap((rule): BrokenRule[] => {
    const found = counted.find((row) => {
      return row.rule === rule.name && (row.verdict === 'refused') === (rule.severity === 'refuse')
    })
    return found === undefined ? [] : [{ ...rule, rows: found.rows, places: found.places }]
  })
  return {
    cut: cut?.rows ?? 0,
    skipped: skipped?.rows ?? 0,
    skippedPlaces: skipped?.places ?? [],
    rules,
  }
}
