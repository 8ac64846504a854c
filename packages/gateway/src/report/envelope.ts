import {
  dropBlank,
  filterId,
  type FilterName,
  forEachFilter,
  FILTER_NAMES,
  inputParameterSchema,
  nearestName,
  type OutputOf,
  reportRequestSchema,
} from '@counterfoil/protocol'
import { parseJson, parseMembers } from '../outcome/parse-json.ts'

/** A report request with all defaults filled in. */
export interface Envelope extends Omit<OutputOf<typeof reportRequestSchema>, 'filters'> {
  readonly reportName: string
  /** Ids as text. An empty list means everything in scope. */
  readonly filters: Readonly<Record<FilterName, readonly string[]>>
}

/** Parses a report request (specification, "Report request"). docs/protocol.md lists the defaults. */
export function parseEnvelope(body: Uint8Array): Envelope {
  const json = dropBlank(parseJson(body))
  const { filters, ...members } = parseMembers(reportRequestSchema, json, nearestMember)
  const { reportName = members.reportIdentifier } = members
  return { ...members, reportName, filters: forEachFilter((name) => filters[name].map(filterId)) }
}

/** Returns the known member of the envelope, of its filters or of a parameter that a caller may have meant. */
function nearestMember(name: string, [member]: readonly PropertyKey[]): string | undefined {
  if (member === 'filters') return nearestName(name, FILTER_NAMES)
  const { shape } = member === undefined ? reportRequestSchema : inputParameterSchema
  return nearestName(name, Object.keys(shape))
}
