import type { ReportRequest } from '@counterfoil/client'

/** Asks for control totals too, which the record of the run then shows. */
export function withControlTotals(request: ReportRequest): ReportRequest {
  const others = (request.configurationReportParameters ?? []).filter(
    ({ name }) => name !== 'controlTotals',
  )
  const asked = { type: 'INPUT_SELECT', name: 'controlTotals', value: 'on' } as const
  return { ...request, configurationReportParameters: [...others, asked] }
}
