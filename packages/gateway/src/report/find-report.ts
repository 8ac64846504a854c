import { fieldProblem, type Role } from '@counterfoil/common'
import { findEncoding, type Format, FORMATS, textEncoderOf } from '@counterfoil/formats'
import type { Catalogue, CatalogueReport } from '@counterfoil/templates'
import type { Envelope } from './envelope.ts'

/** The report and the format that a request names. */
export interface RequestedReport {
  readonly report: CatalogueReport
  readonly formatName: string
  readonly format: Format
  /** The name of the encoding in the format's `encodings`. */
  readonly encoding: string
}

/**
 * Finds the report that a request names.
 *
 * @throws `unknown-report`, which is the same for a report that does not exist and for one that is not for this role;
 * `invalid-field` for an encoding or a format that the report does not have
 */
export function findReport(catalogue: Catalogue, envelope: Envelope, role: Role): RequestedReport {
  const { reportIdentifier, reportFormat, reportEncode } = envelope
  const report = reportsOf(catalogue, role).find(({ template }) => {
    return [template.identifier, ...(template.aliases ?? [])].includes(reportIdentifier)
  })
  if (!report) {
    const known = reportsOf(catalogue, role).map(({ template }) => template.identifier)
    const expected = `a report for the role ${role}: ${known.join(', ')}`
    throw fieldProblem('unknown-report', [{ pointer: '/reportIdentifier', expected }])
  }
  const { template } = report
  const formatName = template.formats.find((name) => name === reportFormat.toUpperCase())
  if (formatName === undefined) {
    const expected = `a format of this report: ${template.formats.join(', ')}`
    throw fieldProblem('invalid-field', [{ pointer: '/reportFormat', expected }])
  }
  const format = FORMATS[formatName]
  const encoding = findEncoding(reportEncode)?.name
  if (encoding === undefined || !format.encodings.includes(encoding)) {
    const expected = `an encoding of ${formatName}: ${format.encodings.join(', ')}`
    throw fieldProblem('invalid-field', [{ pointer: '/reportEncode', expected }])
  }
  const { reportCsvDelimiter: delimiter } = envelope
  if (delimiter !== undefined && format.parameters.includes('quote')) {
    checkDelimiter(delimiter, encoding)
  }
  return { report, formatName, format, encoding }
}

/** A delimiter that the encoding lacks would become a question mark. */
function checkDelimiter(delimiter: string, encoding: string): void {
  const known = findEncoding(encoding)
  if (!known || textEncoderOf(known)(delimiter).replaced === 0) return
  const expected = `a character that ${encoding} has`
  throw fieldProblem('invalid-field', [{ pointer: '/reportCsvDelimiter', expected }])
}

/** Returns the reports that a role may ask for. */
export function reportsOf(
  catalogue: Pick<Catalogue, 'reports'>,
  role: Role,
): readonly CatalogueReport[] {
  return [...catalogue.reports.values()].filter(({ template }) => template.roles.includes(role))
}
