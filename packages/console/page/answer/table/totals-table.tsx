import { texts } from '../../texts.ts'
import type { LoadedRows } from './loaded-rows.ts'
import { SmallTable } from './small-table.tsx'

const { column, currency, amounts, sum } = texts.answer

/** The exact sums of the amounts in the page, each currency for itself. */
export function TotalsTable({ rows }: { readonly rows: LoadedRows }) {
  const totals = rows.totals()
  if (totals.length === 0) return null
  const isComplete = rows.transfer.end.value?.kind === 'complete'
  const title = isComplete
    ? texts.answer.totalsOfAll
    : texts.answer.totalsOfFirst(rows.store.length)
  return (
    <details class="totals">
      <summary>{title}</summary>
      {rows.report.note !== undefined && <p class="quiet">{rows.report.note}</p>}
      <SmallTable
        name={title}
        titles={[column, currency, amounts, sum]}
        numbers={2}
        rows={totals.map((total) => [
          total.column,
          total.currency,
          total.amounts.toLocaleString('en'),
          total.sum,
        ])}
      />
    </details>
  )
}
