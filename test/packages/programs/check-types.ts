// Compiles only if the declarations of the packages are found, and say what the packages take and return.

import { CounterfoilClient, CounterfoilError, type Report } from '@counterfoil/client'
import { type ReportRequest, REPORT_REQUEST_DEFAULTS } from '@counterfoil/protocol'
import { type RefusalCode, type Signed, SigningError } from '@counterfoil/signing'

/** @public */
export async function runId(request: ReportRequest): Promise<string | undefined> {
  const endpoint = 'https://reports.example.com/'
  const client = new CounterfoilClient({ endpoint, login: 'shop', controlKey: 'key' })
  // @ts-expect-error -- the login is missing
  const nobody = new CounterfoilClient({ endpoint, controlKey: 'key' })
  const report: Report = await client.report(request)
  // @ts-expect-error -- a report has no such member
  return report.runId ?? report.noSuchMember ?? nobody
}

/** @public */
export function describe(error: unknown, signed: Signed): string {
  // @ts-expect-error -- no refusal has this code
  const wrong: RefusalCode = 'no-such-code'
  if (error instanceof CounterfoilError && error.code === 'busy') {
    // @ts-expect-error -- only `not-authorised` has this member
    return String(error.retryAfterSeconds ?? error.refusal)
  }
  if (error instanceof CounterfoilError || error instanceof SigningError) return error.code
  return signed.baseString + wrong + REPORT_REQUEST_DEFAULTS.reportFormat
}
