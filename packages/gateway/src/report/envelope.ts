import { type FilterName, type InputParameter } from '@counterfoil/protocol'
import * as z from 'zod'
import { fieldProblem } from '../errors.ts'
import { countFaults, firstFaults } from './envelope-faults.ts'
import { envelopeSchema } from './envelope-schema.ts'
import { dropMembers, parseJson } from './parse-json.ts'

/** A report request with everything that it left out filled in. */
export interface Envelope {
  readonly reportIdentifier: string
  readonly reportEncode: string
  readonly reportName: string
  readonly reportCsvDelimiter: string
  readonly reportFormat: string
  readonly configurationReportParameters: readonly InputParameter[]
  readonly inputReportParameters: readonly InputParameter[]
  readonly outputReportParameters: readonly (InputParameter | string)[]
  /** Ids as text; empty where everything in scope is meant. */
  readonly filters: Readonly<Record<FilterName, readonly string[]>>
}

/**
 * Parses a report request (specification, "Report request"; design: every gap's default in docs/protocol.md).
 * Throws `malformed-json`, or `invalid-field` with the faults that were found.
 */
export function parseEnvelope(body: Uint8Array): Envelope {
  const { json, dropped } = dropMembers(parseJson(body))
  const parsed = envelopeSchema.safeParse(json)
  if (!parsed.success) {
    const { issues } = parsed.error
    throw fieldProblem('invalid-field', firstFaults(issues, json), countFaults(issues) + dropped)
  }
  const { reportName, ...envelope } = parsed.data
  return { ...envelope, reportName: reportName ?? envelope.reportIdentifier }
}

/** Checks the body of a request that has nothing to say: nothing at all, or `{}`. Throws as `parseEnvelope` does. */
export function parseEmptyObject(body: Uint8Array): void {
  if (body.length === 0) return
  const parsed = z.strictObject({}).safeParse(parseJson(body))
  if (parsed.success) return
  throw fieldProblem('invalid-field', [{ pointer: '', expected: 'an empty object, or no body' }])
}
