import {
  conforms,
  describeFaults,
  dropBlank,
  type ProblemFault,
  type ReportRequest,
  reportRequestSchema,
} from '@counterfoil/protocol'

/** Reads a request from JSON, or the faults that the gateway would find in the text. */
export function readDraft(
  text: string,
): { readonly request: ReportRequest } | { readonly faults: readonly ProblemFault[] } {
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
