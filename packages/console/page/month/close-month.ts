import type { CatalogueReport, ReportRequest } from '@counterfoil/protocol'
import { ownTimezone } from '../report/periods.ts'
import type { RowTotals } from '../answer/table/row-totals.ts'

/** The reports whose files close a month, for the roles that have them. The first one has the figures. */
const FILES: readonly string[] = [
  'settlement-statement',
  'fees-and-commissions',
  'settlement-details',
  'transactions-list',
  'refunds-chargebacks',
]

/** What the gateway lays out as a document for people: its PDF is what they file and pass on. */
const DOCUMENT = 'settlement-statement'

/** The figures of a month, in the order of a statement: each with the column that holds it. */
const FIGURES = [
  'Opening_balance',
  'Sales_amount',
  'Turnover',
  'Transfers_in_amount',
  'Refunds_amount',
  'Chargebacks_amount',
  'Payouts_amount',
  'Fees',
  'Gateway_fee',
  'Reseller_commission',
  'Reserve_held',
  'Reserve_released',
  'Other_movements',
  'Balance_gap',
  'Paid_out',
  'Closing_balance',
] as const

/** Figures that are 0 if the ledger is complete. */
const RARE: readonly string[] = ['Other_movements', 'Balance_gap']

/** The column of a figure. */
export type FigureName = (typeof FIGURES)[number]

/** The figures of a month by currency. */
export interface MonthFigures {
  readonly currencies: readonly string[]
  readonly rows: readonly { readonly name: FigureName; readonly sums: readonly string[] }[]
}

/** Returns the reports of a catalogue that close a month. */
export function reportsOf(reports: readonly CatalogueReport[]): readonly CatalogueReport[] {
  return FILES.flatMap((name) => reports.filter((report) => report.reportIdentifier === name))
}

/** Returns the formats of a report's files: a workbook, and for statements also the document. */
export function formatsOf({ reportIdentifier, formats }: CatalogueReport): readonly string[] {
  const wanted = reportIdentifier === DOCUMENT ? ['PDF', 'XLSX'] : ['XLSX']
  const offered = wanted.filter((format) => formats.includes(format))
  return offered.length > 0 ? offered : ['CSV']
}

/** Returns the month of a day and those before it as YYYY-MM, the newest first. */
export function monthsUntil(day: string, count = 24): readonly string[] {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(year, month - 1 - index, 1)).toISOString().slice(0, 7),
  )
}

/**
 * Returns the request for a file of a month. The month counts by the business day of settlement, as statements do, so
 * that the sums of all files agree. This day does not depend on a time zone.
 */
export function monthRequest(
  { reportIdentifier, inputReportParameters }: CatalogueReport,
  month: string,
  reportFormat = 'CSV',
): ReportRequest {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const values = new Map([
    ['dateFrom', `${month}-01`],
    ['dateTo', new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10)],
    ['dateAxis', 'bank'],
    ['timezone', ownTimezone()],
  ])
  return {
    reportIdentifier,
    reportFormat,
    inputReportParameters: inputReportParameters.flatMap(({ name, type, allowed }) => {
      const value = values.get(name)
      const isAllowed = name !== 'dateAxis' || (value !== undefined && allowed?.includes(value))
      return value === undefined || !isAllowed ? [] : [{ type, name, value }]
    }),
  }
}

/** Returns the figures among the totals of a report, whose groups are currencies. */
export function figuresOf(totals: RowTotals): MonthFigures {
  const groups = totals.totals(true)
  const rows = FIGURES.map((name) => {
    const index = totals.columns.indexOf(name)
    return { name, sums: groups.map(({ sums }) => sums[index] ?? '') }
  })
  const isShown = ({ name, sums }: (typeof rows)[number]) => {
    return sums.some((sum) => (RARE.includes(name) ? /[1-9]/.test(sum) : sum !== ''))
  }
  return {
    currencies: groups.map(({ group: [currency = ''] }) => currency),
    rows: rows.filter(isShown),
  }
}
