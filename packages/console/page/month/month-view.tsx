import type { CatalogueReport } from '@counterfoil/protocol'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { AnswerHead } from '../answer/answer-head.tsx'
import { LIMITS } from '../answer/limits.ts'
import { saveReport } from '../answer/save-report.ts'
import { groupThousands } from '../answer/table/decimals.ts'
import { type LoadedRows, loadRows } from '../answer/table/loaded-rows.ts'
import { SmallTable } from '../answer/table/small-table.tsx'
import type { Transfer } from '../answer/transfer.ts'
import { TransferStatus } from '../answer/transfer-status.tsx'
import { Field } from '../report/field.tsx'
import { dayOf, ownTimezone } from '../report/periods.ts'
import { session } from '../session/session.ts'
import { texts } from '../texts.ts'
import './month.css'
import { figuresOf, formatsOf, monthRequest, monthsUntil, reportsOf } from './close-month.ts'

/** The figures of a month, and the files that prove them. */
export function MonthView() {
  const { reports: all = [], newestRows } = session.value?.catalogue ?? {}
  const today = dayOf(new Date(), ownTimezone())
  const months = monthsUntil(newestRows?.statements || today)
  // The last month that has ended. The current one may be looked at too.
  const ended = months.find((name) => name < today.slice(0, 7))
  const month = useSignal(ended ?? months[0] ?? '')
  const closed = useSignal<{ readonly month: string; readonly rows: LoadedRows } | undefined>(
    undefined,
  )
  const reports = reportsOf(all)
  const [first] = reports
  useEffect(() => () => closed.peek()?.rows.transfer.cancel(), [])
  const close = (event: SubmitEvent) => {
    event.preventDefault()
    closed.value?.rows.transfer.cancel()
    if (!first) return
    const rows = loadRows(monthRequest(first, month.value), first, LIMITS.tableRows)
    closed.value = { month: month.value, rows }
  }
  return (
    <section class="panel answer month">
      <h1>{texts.month.title}</h1>
      <p class="lead">{texts.month.lead}</p>
      <form class="actions" onSubmit={close}>
        <Field label={texts.month.month}>
          {(attributes) => (
            <select
              {...attributes}
              value={month.value}
              onChange={(event) => (month.value = event.currentTarget.value)}
            >
              {months.map((name) => (
                <option key={name} value={name}>
                  {monthName(name)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <button type="submit" class="primary" disabled={!first}>
          {texts.month.close}
        </button>
      </form>
      {!first && <p class="note warn">{texts.month.noReports}</p>}
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
  return (
    <>
      <h2>{monthName(month)}</h2>
      <TransferStatus transfer={rows.transfer} />
      {rows.transfer.end.value?.kind === 'complete' && <Figures month={month} rows={rows} />}
      {rows.report.note !== undefined && <p class="quiet">{rows.report.note}</p>}
      <h3>{texts.month.files}</h3>
      <p class="quiet">{texts.month.axis}</p>
      <ul class="files">
        {reports.flatMap((report) =>
          formatsOf(report).map((format) => (
            <FileLink
              key={`${report.reportIdentifier} ${format}`}
              report={report}
              format={format}
              month={month}
            />
          )),
        )}
      </ul>
      <AnswerHead transfer={rows.transfer} />
    </>
  )
}

function Figures({ month, rows }: Omit<ClosedProps, 'reports'>) {
  const { currencies, rows: figures } = figuresOf(rows.totals)
  if (figures.length === 0) return <p class="quiet">{texts.month.none}</p>
  const names = {
    ...texts.month.figures,
    ...(session.value?.catalogue.role === 'merchant' && texts.month.figuresOfMerchants),
  }
  return (
    <SmallTable
      name={monthName(month)}
      titles={[texts.month.figure, ...currencies]}
      numbers={currencies.length}
      rows={figures.map(({ name, sums }) => [names[name], ...sums.map(groupThousands)])}
    />
  )
}

interface FileLinkProps {
  readonly report: CatalogueReport
  readonly format: string
  readonly month: string
}

/** A file of the month. It is saved when its proof agrees. */
function FileLink({ report, format, month }: FileLinkProps) {
  const saving = useSignal<Transfer | undefined>(undefined)
  const request = monthRequest(report, month, format)
  const end = saving.value?.end.value
  return (
    <li>
      <button
        type="button"
        class="link"
        disabled={saving.value !== undefined && !end}
        onClick={() => (saving.value = saveReport(request))}
      >
        {texts.month.file(report.title, format)}
      </button>{' '}
      {end?.kind === 'complete' && <span role="status">{texts.month.saved}</span>}
      {saving.value && <TransferStatus transfer={saving.value} />}
    </li>
  )
}

/** `2026-10` is "October 2026". */
function monthName(month: string): string {
  const format = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', format)
}
