import { type FilterName, type InputParameter } from '@counterfoil/protocol'
import * as z from 'zod'
import { fieldProblem } from '../errors.ts'
import { countFaults, firstFaults } from './envelope-faults.ts'
import { envelopeSchema } from './envelope-schema.ts'
import { parseJson } from '../parse-json.ts'
import { dropBlank } from './drop-blank.ts'
import { dropMembers } from './drop-members.ts'

/** A report request with all defaults filled in. */
export interface Envelope {
  readonly reportIdentifier: string
  readonly reportEncode: string
  readonly reportName: string
  /** The default depends on the configuration parameter `spreadsheet`. */
  readonly reportCsvDelimiter?: string | undefined
  readonly reportFormat: string
  readonly configurationReportParameters: readonly InputParameter[]
  readonly inputReportParameters: readonly InputParameter[]
  readonly outputReportParameters: readonly (InputParameter | string)[]
  /** Ids as text. An empty list means everything in scope. */
  readonly filters: Readonly<Record<FilterName, readonly string[]>>
}

/**
 * Parses a report request (specification, "Report request"). docs/protocol.md lists the defaults.
 *
 * @throws `malformed-json`, or `invalid-field` with the faults
 */
export function parseEnvelope(body: Uint8Array): Envelope {
  const { json, dropped } = dropMembers(dropBlank(parseJson(body)))
  const parsed = envelopeSchema.safeParse(json)
  if (!parsed.success) {
    const { issues } = parsed.error
    throw fieldProblem('invalid-field', firstFaults(issues, json), countFaults(issues) + dropped)
  }
  const { reportName, ...envelope } = parsed.data
  return { ...envelope, reportName: reportName ?? envelope.reportIdentifier }
}

/**
 * Checks a body that must be empty or `{}`.
 * @throws `malformed-json` or `invalid-field`
 */
export function parseEmptyObject(body: Uint8Array): void {
  if (body.length === 0) return
  const parsed = z.strictObject({}).safeParse(parseJson(body))
  if (parsed.success) return
  throw fieldProblem('invalid-field', [{ pointer: '', expected: 'an empty object, or no body' }])
}
