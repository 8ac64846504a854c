import { texts } from '../../texts.ts'
import { LIMITS } from '../limits.ts'
import { groupThousands } from './decimals.ts'
import { formatSum } from './format-sum.ts'
import type { LoadedRows } from './loaded-rows.ts'
import { SmallTable } from './small-table.tsx'

/** The exact sums that the report's file declares, separated by the columns that it names. */
export function TotalsTable({ rows }: { readonly rows: LoadedRows }) {
  const isComplete = rows.transfer.end.value?.kind === 'complete'
  const { by } = rows.totals
  const totals = rows.totals.totals(isComplete)
  if (totals.length === 0) return null
  const shown = totals.slice(0, LIMITS.totals)
  const title = isComplete
    ? texts.answer.totalsOfAll
    : texts.answer.totalsOfFirst(rows.store.length)
  const { column, amounts, sum, otherFigures } = texts.answer
  return (
    <details class="totals">
      <summary>{title}</summary>
      {rows.report.note !== undefined && <p class="quiet">{rows.report.note}</p>}
      <SmallTable
        name={title}
        titles={[...by, column, amounts, sum]}
        numbers={2}
        rows={shown.map((total) => [
          ...total.group,
          total.column,
          total.amounts?.toLocaleString('en') ?? '',
          groupThousands(formatSum(total.sum, total.currency)),
        ])}
      />
      {shown.length < totals.length && (
        <p class="quiet">{otherFigures(shown.length, totals.length)}</p>
      )}
    </details>
  )
}
