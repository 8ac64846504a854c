import { FILTER_NAMES, type ProblemFault } from '@counterfoil/protocol'
import { fieldProblem, type Role } from '@counterfoil/common'
import { ROLE_COLUMNS } from '@counterfoil/ledger'
import { axisOf, CHANGED_SINCE, type Template } from '@counterfoil/templates'
import type { Envelope } from './envelope.ts'
import { axisNameOf, type ParameterValues } from './parameters.ts'

/** The columns of a transaction that no later version changes. An import refuses such a version. */
const CONSTANT_COLUMNS: readonly string[] = ['merchant_id', 'created_at']

/** Whether a transaction that a role sees stays in its scope. Transactions can move to another manager or reseller. */
export function keepsScope(role: Role): boolean {
  return role === 'operator' || CONSTANT_COLUMNS.includes(ROLE_COLUMNS[role])
}

/**
 * Refuses a request for changes that a later version of a row can leave: no run would show that the row left, and the
 * caller would keep it.
 *
 * @throws `invalid-parameter` with what selects rows by something that can change
 */
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
    const index = envelope.inputReportParameters.findIndex((element) => element.name === name)
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
