import {
  type Cursor,
  fieldProblem,
  formatCursor,
  formatInstant,
  LIMITS,
  parseCursor,
} from '@counterfoil/common'
import type { LedgerChanges } from '@counterfoil/ledger'
import { CHANGED_SINCE } from '@counterfoil/templates'
import { keepsScope } from './leaving-rows.ts'
import type { PreparedReport } from './prepare-report.ts'

/** The changes of a run: the values of its query, and the cursor for the next run. */
export interface Changes {
  readonly parameters: { readonly _changedAfter: string; readonly _changedUntil: string }
  readonly cursor: string
}

/**
 * Earlier than every `loaded_at` (`ledger/migrations.ts`). A `Distributed` table cannot send an instant near
 * 1970 ("Cannot read DateTime").
 */
const BEGINNING: Cursor = { instant: Date.UTC(1999, 0, 1), ledger: undefined }

/**
 * Returns the changes of a run, if its report has them and its caller can ask for them.
 *
 * @param ledgerChanges the query will see every row that the ledger received up to the watermark
 * @throws `invalid-parameter` for a cursor that no run can have had, and for the cursor of another ledger
 */
export function changesOf(
  {
    viewer,
    report,
    envelope,
    values,
  }: Pick<PreparedReport, 'viewer' | 'report' | 'envelope' | 'values'>,
  ledgerChanges: LedgerChanges,
): Changes | undefined {
  if (report.template.changes === undefined || !keepsScope(viewer.role)) return undefined
  const { ledger } = ledgerChanges
  const watermark = ledgerChanges.watermark()
  const since = parseCursor(String(values.input[CHANGED_SINCE.name])) ?? BEGINNING
  const fault = faultOf(since, ledger, watermark)
  if (fault !== undefined) {
    const index = envelope.inputReportParameters.findIndex(({ name }) => {
      return name === CHANGED_SINCE.name
    })
    const pointer = `/inputReportParameters/${index}/value`
    throw fieldProblem('invalid-parameter', [{ pointer, expected: `for changedSince ${fault}` }])
  }
  const after = Math.max(since.instant, BEGINNING.instant)
  return {
    parameters: { _changedAfter: formatInstant(after), _changedUntil: formatInstant(watermark) },
    // All rows up to the cursor of the request were in an earlier run.
    cursor: formatCursor({ instant: Math.max(since.instant, watermark), ledger }),
  }
}

function faultOf(since: Cursor, ledger: string | undefined, watermark: number): string | undefined {
  const isBeginning = since.ledger === undefined && since.instant <= BEGINNING.instant
  if (!isBeginning && since.ledger !== ledger) {
    return (
      'a cursor of this ledger, got that of another one, which received its rows at other times. ' +
      'Send it to the gateway that gave it, or begin again with 1970-01-01T00:00:00.000Z'
    )
  }
  // Cursors of another gateway may be a little ahead.
  return since.instant > watermark + 2 * LIMITS.changesLagMs
    ? 'the cursor of an earlier run, got a time after the newest cursor'
    : undefined
}
