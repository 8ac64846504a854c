import type { CatalogueReport, ReportRequest } from '@counterfoil/protocol'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { groupThousands } from '../answer/amounts.ts'
import { AnswerHead, TransferStatus } from '../answer/answer-parts.tsx'
import { type LoadedRows, loadRows } from '../answer/rows.ts'
import type { RowTotals } from '../answer/sums.ts'
import { saveReport, type Transfer } from '../answer/transfer.ts'
import { SelectField } from '../controls/fields.tsx'
import { Table } from '../controls/table.tsx'
import { dayOf, monthOf, ownTimezone } from '../report/periods.ts'
import { session } from '../session/session.ts'

/** What the gateway lays out as a document for people. It has the figures, and its PDF is what people file and pass on. */
const STATEMENT = 'settlement-statement'

/** The reports whose files close a month, for the roles that have them. The first one has the figures. */
const FILES = [
  STATEMENT,
  'fees-and-commissions',
  'settlement-details',
  'transactions-list',
  'refunds-chargebacks',
]

const FIGURES = [
  ['Opening_balance', 'Open before the month'],
  ['Sales_amount', '+ Sales'],
  ['Turnover', 'Turnover'],
  ['Transfers_in_amount', '+ Transfers in'],
  ['Refunds_amount', '− Refunds'],
  ['Chargebacks_amount', '− Disputes (chargebacks)'],
  ['Payouts_amount', '− Payouts'],
  ['Fees', '− Fees'],
  ['Gateway_fee', 'Fees'],
  ['Reseller_commission', 'Commission'],
  ['Reserve_held', '− Reserve held'],
  ['Reserve_released', '+ Reserve released'],
  ['Other_movements', '+ Other movements'],
  ['Balance_gap', '+ Gaps between statements'],
  ['Paid_out', '− Paid out'],
  ['Closing_balance', '= Open after the month'],
] as const

/** Figures that are 0 if the ledger is complete. */
const RARE: readonly string[] = ['Other_movements', 'Balance_gap']

export function MonthView() {
  const { reports: all = [], newestRows } = session.value?.catalogue ?? {}
  const today = dayOf(new Date(), ownTimezone())
  const newest = newestRows?.statements ?? 'none'
  const months = monthsUntil(newest === 'none' ? today : newest)
  // The last month that has ended. The current one may be looked at too.
  const ended = months.find((name) => name < today.slice(0, 7))
  const month = useSignal(ended ?? months[0] ?? '')
  const closed = useSignal<Omit<ClosedProps, 'reports'> | undefined>(undefined)
  const reports = FILES.flatMap((name) => all.filter((one) => one.reportIdentifier === name))
  const [first] = reports
  useEffect(() => () => closed.peek()?.rows.transfer.cancel(), [])
  const close = (event: SubmitEvent) => {
    event.preventDefault()
    closed.value?.rows.transfer.cancel()
    if (!first) return
    closed.value = { month: month.value, rows: loadRows(monthRequest(first, month.value), first) }
  }
  return (
    <section class="panel answer month">
      <h1>Close a month</h1>
      <p class="lead">
        The figures of a month by currency, from its statements, and the files that prove them.
      </p>
      <form class="actions" onSubmit={close}>
        <SelectField
          label="Month"
          value={month.value}
          options={months.map((name) => [name, monthName(name)])}
          onChoose={(name) => (month.value = name)}
        />
        <button type="submit" class="primary" disabled={!first}>
          Close the month
        </button>
      </form>
      {!first && <p class="note warn">Your login has none of the reports that close a month.</p>}
      {closed.value && <Closed key={closed.value.rows} reports={reports} {...closed.value} />}
    </section>
  )
}

interface ClosedProps {
  readonly month: string
  readonly rows: LoadedRows
  readonly reports: readonly CatalogueReport[]
}

function Closed({ month, rows, reports }: ClosedProps) {
  const files = reports.flatMap((report) =>
    formatsOf(report).map((format) => ({
      name: `${report.title} (${format})`,
      request: monthRequest(report, month, format),
    })),
  )
  return (
    <>
      <h2>{monthName(month)}</h2>
      <TransferStatus transfer={rows.transfer} />
      {rows.transfer.end.value?.kind === 'complete' && (
        <Figures name={monthName(month)} totals={rows.totals.value} />
      )}
      {rows.report.note !== undefined && <p class="quiet">{rows.report.note}</p>}
      <h3>The files</h3>
      <p class="quiet">
        Each file holds what was settled in the month, whenever it was created, so their sums agree
        with the statements. An ordinary report goes by the day of creation. For the same rows
        there, let the period go by the bank’s business day.
      </p>
      <ul class="files">
        {files.map((file) => (
          <FileLink key={file.name} {...file} />
        ))}
      </ul>
      <AnswerHead transfer={rows.transfer} />
    </>
  )
}

function Figures({ name, totals }: { readonly name: string; readonly totals: RowTotals }) {
  const groups = totals.totals(true)
  const rows = FIGURES.flatMap(([column, title]) => {
    const index = totals.columns.indexOf(column)
    const sums = groups.map((group) => group.sums[index] ?? '')
    const isShown = sums.some((sum) => (RARE.includes(column) ? /[1-9]/.test(sum) : sum !== ''))
    // What the operator pays out, a merchant receives.
    const isReceived = column === 'Paid_out' && session.value?.catalogue.role === 'merchant'
    return isShown ? [[isReceived ? '− Cash received' : title, ...sums.map(groupThousands)]] : []
  })
  if (rows.length === 0) return <p class="quiet">No statement has a day in this month.</p>
  const currencies = groups.map(({ group: [currency = ''] }) => currency)
  return (
    <Table
      name={name}
      titles={['Figure', ...currencies]}
      isNumber={(column) => column > 0}
      rows={rows}
    />
  )
}

function FileLink({ name, request }: { readonly name: string; readonly request: ReportRequest }) {
  const saving = useSignal<Transfer | undefined>(undefined)
  const end = saving.value?.end.value
  return (
    <li>
      <button
        type="button"
        class="link"
        disabled={saving.value !== undefined && !end}
        onClick={() => (saving.value = saveReport(request))}
      >
        {name}
      </button>{' '}
      {end?.kind === 'complete' && <span role="status">Saved, and complete.</span>}
      {saving.value && <TransferStatus transfer={saving.value} />}
    </li>
  )
}

function formatsOf({ reportIdentifier, formats }: CatalogueReport): readonly string[] {
  const wanted = reportIdentifier === STATEMENT ? ['PDF', 'XLSX'] : ['XLSX']
  const offered = wanted.filter((format) => formats.includes(format))
  return offered.length > 0 ? offered : ['CSV']
}

/** Returns the month of a day and those before it as YYYY-MM, the newest first. */
function monthsUntil(day: string): readonly string[] {
  return Array.from({ length: 24 }, (_, index) => monthOf(day, -index).slice(0, 7))
}

/**
 * Returns the request for a file of a month. The month counts by the business day of settlement, as statements do, so
 * that the sums of all files agree. This day does not depend on a time zone.
 */
function monthRequest(
  { reportIdentifier, inputReportParameters }: CatalogueReport,
  month: string,
  reportFormat = 'CSV',
): ReportRequest {
  const values = new Map([
    ['dateFrom', `${month}-01`],
    ['dateTo', monthOf(month, 1)],
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

/** `2026-10` is "October 2026". */
function monthName(month: string): string {
  const format = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', format)
}
