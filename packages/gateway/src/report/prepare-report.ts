import type { Format } from '@counterfoil/formats'
import type { Login } from '@counterfoil/store'
import type { Catalogue, CatalogueReport } from '@counterfoil/templates'
import { chooseContent, type Content } from './content.ts'
import type { Envelope } from './envelope.ts'
import { findReport } from './find-report.ts'
import { refuseLeavingRows } from './leaving-rows.ts'
import { readParameters, type RequestedValues } from './parameters.ts'
import { type Presentation, presentationOf } from './presentation.ts'

/** The login for which a report runs. */
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
  readonly values: RequestedValues
  readonly presentation: Presentation
  readonly content: Content
}

/**
 * Checks a request for a report. Decides its format, the values of its parameters, its columns and how values are
 * written. `runReport` runs the prepared report.
 *
 * @param onFound gets the names of the report and its format before the rest of the request is checked
 * @throws `unknown-report`, `invalid-field` or `invalid-parameter`, with pointers to the faults
 */
export function prepareReport(
  catalogue: Catalogue,
  viewer: Viewer,
  envelope: Envelope,
  onFound: (identifier: string, format: string) => void = () => {},
): PreparedReport {
  const { report, formatName, format, encoding } = findReport(catalogue, envelope, viewer.role)
  const { template } = report
  onFound(template.identifier, formatName)
  const values = readParameters(template, envelope, catalogue.timezones, format, viewer.timezone)
  refuseLeavingRows(template, envelope, values.input, viewer.role)
  const presentation = presentationOf(values.configuration, envelope, encoding, format)
  const content = chooseContent(template, envelope, viewer.role, format, presentation.totalsOnly)
  return { viewer, envelope, report, format, values, presentation, content }
}
