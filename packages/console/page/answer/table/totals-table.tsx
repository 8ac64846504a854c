import { texts } from '../../texts.ts'
import { CellText } from './cell-text.tsx'
import type { LoadedRows } from './loaded-rows.ts'

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
      <div class="scroll" role="region" tabIndex={0} aria-label={title}>
        <table>
          <thead>
            <tr>
              <th>{texts.answer.column}</th>
              <th>{texts.answer.currency}</th>
              <th class="number">{texts.answer.amounts}</th>
              <th class="number">{texts.answer.sum}</th>
            </tr>
          </thead>
          <tbody>
            {totals.map(({ column, currency, amounts, sum }) => (
              <tr key={`${column} ${currency}`}>
                <td>
                  <CellText text={column} />
                </td>
                <td>
                  <CellText text={currency} />
                </td>
                <td class="number">{amounts.toLocaleString('en')}</td>
                <td class="number">{sum}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
