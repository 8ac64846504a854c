import type { Role } from '@counterfoil/common'
import type { Catalogue } from '@counterfoil/templates'
import { describeReport } from './describe-report.ts'
import { reportsOf } from './find-report.ts'

interface Described {
  /** The month of the examples, as `2026-11`. */
  readonly month: string
  readonly json: string
}

const described = new WeakMap<Catalogue['reports'], Map<string, Described>>()

/**
 * Describes the reports of a role with the time zone of a login, as a JSON array. Caches the text until the catalogue or the month changes, because
 * describing 500 reports takes the main thread 50 ms.
 *
 * @param now milliseconds since 1970
 */
export function describedReports(
  catalogue: Pick<Catalogue, 'reports'>,
  role: Role,
  now: number,
  timezone = 'UTC',
): string {
  const { reports } = catalogue
  const ofRoles = described.get(reports) ?? new Map<string, Described>()
  described.set(reports, ofRoles)
  const month = new Date(now).toISOString().slice(0, 7)
  const key = `${role} ${timezone}`
  const known = ofRoles.get(key)
  if (known?.month === month) return known.json
  const list = reportsOf(catalogue, role).map(({ template }) =>
    describeReport(template, role, timezone, now),
  )
  const json = JSON.stringify(list)
  ofRoles.set(key, { month, json })
  return json
}
