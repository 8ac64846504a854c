import { fieldProblem, type Role } from '@counterfoil/common'
import { findEncoding, type Format, FORMATS, textEncoderOf } from '@counterfoil/formats'
import type { Login } from '@counterfoil/store'
import type { Catalogue, CatalogueReport } from '@counterfoil/templates'
import type { Note } from '../observe/request-summary.ts'
import { refuseLeavingRows } from './changes.ts'
import { type Presentation, presentationOf } from './configuration.ts'
import { chooseContent, type Content } from './content.ts'
import type { Envelope } from './envelope.ts'
import { type ParameterValues, readParameters } from './parameters.ts'

export interface Viewer extends Pick<Login, 'role' | 'sees'> {
  readonly login: string
  /** The time zone of a request that names none. The default is UTC. */
  readonly timezone?: string
}

/** All decisions about a report that need no engine. */
export interface PreparedReport {
  readonly viewer: Viewer
  readonly envelope: Envelope
  readonly report: CatalogueReport
  readonly format: Format
  readonly input: ParameterValues
  readonly presentation: Presentation
  readonly content: Content
}

/** Checks a request for a report, and decides all that needs no engine. `note` gets the names of report and format. */
export function prepareReport(
  catalogue: Catalogue,
  viewer: Viewer,
  envelope: Envelope,
  note: Note = () => {},
): PreparedReport {
  const { report, formatName, format, encoding } = findReport(catalogue, envelope, viewer.role)
  const { template } = report
  note({ report: template.identifier, format: formatName })
  const { timezones } = catalogue
  const values = readParameters(template, envelope, timezones, format, viewer.timezone)
  const { input } = values
  refuseLeavingRows(template, envelope, input, viewer.role)
  const presentation = presentationOf(values.configuration, envelope, { format, encoding })
  const content = chooseContent(template, envelope, viewer.role, format, presentation.totalsOnly)
  return { viewer, envelope, report, format, input, presentation, content }
}

/**
 * Finds the report that a request names. Checks that the report has the format, and the format the encoding. The error
 * is the same for a report that does not exist and for one that is not for this role.
 */
function findReport(catalogue: Catalogue, envelope: Envelope, role: Role) {
  const { reportIdentifier, reportFormat, reportEncode, reportCsvDelimiter } = envelope
  const reports = reportsOf(catalogue, role)
  const report = reports.find(({ template: { identifier, aliases = [] } }) => {
    return identifier === reportIdentifier || aliases.includes(reportIdentifier)
  })
  if (!report) {
    const known = reports.map(({ template }) => template.identifier).join(', ')
    const expected = `a report for the role ${role}: ${known}`
    throw fieldProblem('unknown-report', [{ pointer: '/reportIdentifier', expected }])
  }
  const invalid = (pointer: string, expected: string) => {
    return fieldProblem('invalid-field', [{ pointer, expected }])
  }
  const { formats } = report.template
  const formatName = formats.find((name) => name === reportFormat.toUpperCase())
  if (formatName === undefined) {
    throw invalid('/reportFormat', `a format of this report: ${formats.join(', ')}`)
  }
  const format = FORMATS[formatName]
  const { encodings } = format
  const encoding = findEncoding(reportEncode)
  if (encoding === undefined || !encodings.includes(encoding.name)) {
    throw invalid('/reportEncode', `an encoding of ${formatName}: ${encodings.join(', ')}`)
  }
  // A delimiter that the encoding lacks would become a question mark.
  const { replaced } = textEncoderOf(encoding)(reportCsvDelimiter ?? '')
  if (replaced > 0 && format.parameters.includes('quote')) {
    throw invalid('/reportCsvDelimiter', `a character that ${encoding.name} has`)
  }
  return { report, formatName, format, encoding: encoding.name }
}

export function reportsOf(
  { reports }: Pick<Catalogue, 'reports'>,
  role: Role,
): readonly CatalogueReport[] {
  return [...reports.values()].filter(({ template }) => template.roles.includes(role))
}
