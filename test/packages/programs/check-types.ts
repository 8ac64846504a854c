// Compiles only if the declarations of the packages are found, and say what the packages take and return.

import { createClient, type Report, ReportError } from '@counterfoil/client'
import { type ReportRequest, REPORT_REQUEST_DEFAULTS } from '@counterfoil/protocol'
import { type RefusalCode, type Signed, SigningError } from '@counterfoil/signing'

/** @public */
export async function requestId(request: ReportRequest): Promise<string | undefined> {
  const endpoint = 'https://reports.example.com/'
  const client = await createClient({ endpoint, login: 'shop', controlKey: 'key' })
  // @ts-expect-error -- the login is missing
  await createClient({ endpoint, controlKey: 'key' })
  const report: Report = await client.requestReport(request)
  // @ts-expect-error -- a report has no such member
  return report.requestId ?? report.noSuchMember
}

/** @public */
export function describe(error: unknown, signed: Signed): string {
  // @ts-expect-error -- no refusal has this code
  const wrong: RefusalCode = 'no-such-code'
  if (error instanceof ReportError || error instanceof SigningError) return error.code
  return signed.baseString + wrong + REPORT_REQUEST_DEFAULTS.reportFormat
}
