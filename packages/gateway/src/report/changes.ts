import { fieldProblem } from '../errors.ts'
import { formatInstant, parseCursor } from '../instants.ts'
import { LIMITS } from '../limits.ts'
import { CHANGED_SINCE } from '../templates/changes.ts'
import { keepsScope } from './leaving-rows.ts'
import type { PreparedReport } from './prepare-report.ts'

/** The changes of a run: the values of its query, and the cursor for the next run. */
export interface Changes {
  readonly parameters: { readonly _changedAfter: string; readonly _changedUntil: string }
  readonly cursor: string
}

/**
 * Earlier than every `loaded_at` (`ledger/migrations.ts`). ClickHouse cannot send an instant near 1970 to a shard
 * ("Cannot read DateTime").
 */
const BEGINNING = Date.UTC(1999, 0, 1)

/**
 * Returns the changes of a run, if its report has them and its caller can ask for them.
 *
 * @param watermark the query will see every row that the ledger received up to then
 * @throws `invalid-parameter` for a cursor that no run can have had
 */
export function changesOf(
  {
    viewer,
    report,
    envelope,
    values,
  }: Pick<PreparedReport, 'viewer' | 'report' | 'envelope' | 'values'>,
  watermark: number,
): Changes | undefined {
  if (report.template.changes === undefined || !keepsScope(viewer.role)) return undefined
  const since = parseCursor(String(values.input[CHANGED_SINCE.name])) ?? 0
  // Cursors of another gateway may be a little ahead.
  if (since > watermark + 2 * LIMITS.changesLagMs) {
    const index = envelope.inputReportParameters.findIndex(({ name }) => {
      return name === CHANGED_SINCE.name
    })
    const pointer = `/inputReportParameters/${index}/value`
    const expected =
      'for changedSince the cursor of an earlier run, got a time after the newest cursor'
    throw fieldProblem('invalid-parameter', [{ pointer, expected }])
  }
  const after = Math.max(since, BEGINNING)
  return {
    parameters: { _changedAfter: formatInstant(after), _changedUntil: formatInstant(watermark) },
    // All rows up to the cursor of the request were in an earlier run.
    cursor: new Date(Math.max(since, watermark)).toISOString(),
  }
}
