import { texts } from '../../texts.ts'
import { LIMITS } from '../limits.ts'
import { groupThousands } from './decimals.ts'
import type { LoadedRows } from './loaded-rows.ts'
import { SmallTable } from './small-table.tsx'

/** The exact sums that the report's file declares, separated by the columns that it names. */
export function TotalsTable({ rows }: { readonly rows: LoadedRows }) {
  const isComplete = rows.transfer.end.value?.kind === 'complete'
  const { by, columns } = rows.totals
  const totals = rows.totals.totals(isComplete)
  if (totals.length === 0) return null
  const shown = totals.slice(0, LIMITS.totals)
  const title = isComplete
    ? texts.answer.totalsOfAll
    : texts.answer.totalsOfFirst(rows.store.length)
  return (
    <details class="totals">
      <summary>{title}</summary>
      {rows.report.note !== undefined && <p class="quiet">{rows.report.note}</p>}
      <SmallTable
        name={title}
        titles={[...by, texts.answer.rows, ...columns]}
        numbers={columns.length + 1}
        rows={shown.map(({ group, rows: count, sums }) => [
          ...group,
          count.toLocaleString('en'),
          ...sums.map(groupThousands),
        ])}
      />
      {shown.length < totals.length && (
        <p class="quiet">{texts.answer.otherFigures(shown.length, totals.length)}</p>
      )}
    </details>
  )
}
