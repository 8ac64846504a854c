import { CellText } from '../table/cell-text.tsx'
import { beginningOf } from '../table/visible-text.ts'
import type { Figure } from './chart-figures.ts'

/** Draws a bar for each group, the figure beside it. */
export function BarChart({
  figures,
  label,
}: {
  readonly figures: readonly Figure[]
  readonly label: string
}) {
  const highest = Math.max(0, ...figures.map(({ value = 0 }) => Math.abs(value))) || 1
  return (
    <div class="bar-chart" role="img" aria-label={label}>
      {figures.map(({ label: name, value = 0, text }) => (
        <div key={name} class="bar-row">
          <span class="bar-name">
            <CellText text={beginningOf(name, 60) || '–'} />
          </span>
          <span class="bar-track">
            <span
              class={value < 0 ? 'bar-fill below' : 'bar-fill'}
              style={{ width: `${(100 * Math.abs(value)) / highest}%` }}
            />
          </span>
          <span class="bar-figure">{text}</span>
        </div>
      ))}
    </div>
  )
}
