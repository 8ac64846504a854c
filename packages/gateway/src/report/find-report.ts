import type { ProblemFault } from '@counterfoil/protocol'
import { fieldProblem } from '../errors.ts'
import { ENCODINGS, type FormatName } from '../format/formats.ts'
import type { Role } from '../store/store.ts'
import type { Catalogue } from '../templates/load-templates.ts'
import type { Template } from '../templates/template.ts'
import type { Envelope } from './envelope.ts'

/** The report that is asked for, and the format it is asked in. */
export interface FoundReport {
  readonly template: Template
  readonly formatName: FormatName
}

/**
 * Finds the report that a request names, among those that the caller's role may ask for.
 * Throws `unknown-report`, the same for one that there is not and for one that is not for this role, and
 * `invalid-field` for an encoding or a format that the report does not come in.
 */
export function findReport(catalogue: Catalogue, envelope: Envelope, role: Role): FoundReport {
  const { reportIdentifier, reportFormat, reportEncode } = envelope
  const template = catalogue.templates.get(reportIdentifier)
  if (!template?.roles.includes(role)) {
    const known = [...catalogue.templates.values()].filter(({ roles }) => roles.includes(role))
    const expected = `one of ${known.map(({ identifier }) => identifier).join(', ')}`
    throw fieldProblem('unknown-report', [{ pointer: '/reportIdentifier', expected }])
  }
  const formatName = template.formats.find((name) => name === reportFormat.toUpperCase())
  const faults: ProblemFault[] = []
  if (formatName === undefined) {
    const expected = `a format of this report: ${template.formats.join(', ')}`
    faults.push({ pointer: '/reportFormat', expected })
  }
  if (!ENCODINGS.some((name) => name === reportEncode.toUpperCase())) {
    faults.push({ pointer: '/reportEncode', expected: `one of ${ENCODINGS.join(', ')}` })
  }
  if (formatName !== undefined && faults.length === 0) return { template, formatName }
  throw fieldProblem('invalid-field', faults)
}
