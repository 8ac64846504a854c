import {
  conforms,
  describeFaults,
  dropBlank,
  type ProblemFault,
  type ReportRequest,
  reportRequestSchema,
} from '@counterfoil/protocol'

/** A request, or the faults of a text that is none. */
type ReadDraft = { readonly request: ReportRequest } | { readonly faults: readonly ProblemFault[] }

/** Reads a request from JSON. Its faults are those of the gateway. */
export function readDraft(text: string): ReadDraft {
  let json: unknown
  try {
    json = dropBlank(JSON.parse(text))
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    return { faults: [{ pointer: '', expected: `JSON: ${reason}` }] }
  }
  if (conforms(reportRequestSchema, json)) return { request: json }
  const { issues = [] } = reportRequestSchema.safeParse(json).error ?? {}
  return { faults: describeFaults(issues, json) }
}
