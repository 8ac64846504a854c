import type { ReportRequest } from '@counterfoil/protocol'

const NOTE = `Note: Amount includes declined transactions. Before you sum it, request the column Status too, or the totals with
--configuration totals=only.
`

/** Returns a note for the person if the amounts of a request cannot be told apart by status. */
export function noteStatus(request: ReportRequest): string {
  const { reportIdentifier, outputReportParameters: columns = [] } = request
  const names = columns.map((column) => (typeof column === 'string' ? column : column.name))
  const hasAmount = names.length === 0 || names.includes('Amount')
  const isChosen = request.inputReportParameters?.some(({ name }) => name === 'statuses')
  const isTotal = request.configurationReportParameters?.some(
    ({ name, value }) => name === 'totals' && value === 'only',
  )
  const isClear = !hasAmount || names.includes('Status') || isChosen || isTotal
  return reportIdentifier === 'transactions-list' && !isClear ? NOTE : ''
}
