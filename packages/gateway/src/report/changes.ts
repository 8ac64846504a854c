import { FILTER_NAMES, type ProblemFault } from '@counterfoil/protocol'
import {
  type Cursor,
  fieldProblem,
  formatCursor,
  formatInstant,
  LIMITS,
  parseCursor,
  type Role,
} from '@counterfoil/common'
import { type LedgerChanges, ROLE_COLUMNS } from '@counterfoil/ledger'
import { axisOf, CHANGED_SINCE, type Template } from '@counterfoil/templates'
import type { Envelope } from './envelope.ts'
import { axisNameOf, type ParameterValues } from './parameters.ts'

/** The columns of a transaction that no later version changes. An import refuses such a version. */
const CONSTANT_COLUMNS: readonly string[] = ['merchant_id', 'created_at']

/** Whether a transaction that a role sees stays in its scope. Transactions can move to another manager or reseller. */
function keepsScope(role: Role): boolean {
  return role === 'operator' || CONSTANT_COLUMNS.includes(ROLE_COLUMNS[role])
}

/** Refuses changes that a later version of a row can leave: no run would say so, and the caller would keep the row. */
export function refuseLeavingRows(
  template: Template,
  envelope: Envelope,
  input: ParameterValues,
  role: Role,
): void {
  if (!Object.hasOwn(input, CHANGED_SINCE.name)) return
  const leaves =
    'beside changedSince: a later version of a row can leave it, and no run would say so'
  const faults: ProblemFault[] = []
  const refuseParameter = (name: string, expected: string): void => {
    const index = indexOf(envelope, name)
    const place = index < 0 ? '' : `/${index}`
    faults.push({ pointer: `/inputReportParameters${place}`, expected })
  }
  if (!keepsScope(role)) {
    const why = `a transaction can move to another ${role}, and no run would say so`
    refuseParameter(CHANGED_SINCE.name, `no changedSince for the role ${role}: ${why}`)
  }
  for (const name of FILTER_NAMES) {
    if (envelope.filters[name].length === 0 || name === 'merchants') continue
    faults.push({ pointer: `/filters/${name}`, expected: `no filter but merchants ${leaves}` })
  }
  const hasPeriod = Object.hasOwn(input, 'dateFrom') || Object.hasOwn(input, 'dateTo')
  const axis = axisOf(template.period, axisNameOf(input))
  if (hasPeriod && axis && !CONSTANT_COLUMNS.includes(axis.sql)) {
    refuseParameter('dateAxis', `a period of created_at ${leaves}`)
  }
  for (const { name, condition } of template.parameters) {
    if (condition === undefined || !Object.hasOwn(input, name)) continue
    refuseParameter(name, `no ${name} ${leaves}`)
  }
  if (faults.length > 0) throw fieldProblem('invalid-parameter', faults)
}

/** The changes of a run: the values of its query, and the cursor for the next run. */
export interface Changes {
  readonly parameters: { readonly _changedAfter: string; readonly _changedUntil: string }
  readonly cursor: string
}

/**
 * Earlier than every `loaded_at` (`ledger/src/model/migrate-ledger.ts`). A `Distributed` table cannot send an instant near
 * 1970 ("Cannot read DateTime").
 */
const BEGINNING: Cursor = { instant: Date.UTC(1999, 0, 1), ledger: undefined }

/** Returns the changes of a run, if its report has them. Throws for a cursor that no run of this ledger had. */
export function changesOf(
  template: Template,
  envelope: Envelope,
  input: ParameterValues,
  role: Role,
  ledgerChanges: LedgerChanges,
): Changes | undefined {
  if (template.changes === undefined || !keepsScope(role)) return undefined
  const { ledger } = ledgerChanges
  const watermark = ledgerChanges.watermark()
  const since = parseCursor(String(input[CHANGED_SINCE.name])) ?? BEGINNING
  const fault = faultOf(since, ledger, watermark)
  if (fault !== undefined) {
    const pointer = `/inputReportParameters/${indexOf(envelope, CHANGED_SINCE.name)}/value`
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

function indexOf({ inputReportParameters }: Envelope, wanted: string): number {
  return inputReportParameters.findIndex(({ name }) => name === wanted)
}
