import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { CellText } from '../controls/table.tsx'
import { beginningOf } from '../controls/visible-text.ts'
import { type Figure, ticksOf } from './chart-figures.ts'

const HEIGHT_PX = 260
const MARGIN = { top: 12, right: 8, bottom: 26, left: 64 }
const LABEL_PX = 88

interface ChartProps {
  readonly figures: readonly Figure[]
  /** For those who do not see the chart. */
  readonly label: string
}

export function DayChart({ figures, label }: ChartProps) {
  const { ref, width } = useWidth<HTMLDivElement>()
  const innerWidth = Math.max(0, width - MARGIN.left - MARGIN.right)
  const innerHeight = HEIGHT_PX - MARGIN.top - MARGIN.bottom
  const lowest = figures.reduce((least, { value = 0 }) => Math.min(least, value), 0)
  const highest = figures.reduce((most, { value = 0 }) => Math.max(most, value), 0)
  const ticks = ticksOf(lowest, highest)
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)]
  const y = (value: number) => MARGIN.top + innerHeight * (1 - (value - low) / (high - low))
  const step = innerWidth / Math.max(1, figures.length)
  const x = (index: number) => MARGIN.left + step * (index + 0.5)
  const every = Math.max(1, Math.ceil((figures.length * LABEL_PX) / Math.max(1, innerWidth)))
  return (
    <div ref={ref} class="day-chart">
      <svg role="img" aria-label={label} width={width} height={HEIGHT_PX}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line
              class="grid"
              x1={MARGIN.left}
              x2={width - MARGIN.right}
              y1={y(tick)}
              y2={y(tick)}
            />
            <text class="tick" x={MARGIN.left - 8} y={y(tick)} dy="0.32em" text-anchor="end">
              {COMPACT.format(tick)}
            </text>
          </g>
        ))}
        {figures.map(({ label: day }, index) =>
          index % every === 0 && x(index) + LABEL_PX / 2 <= width ? (
            <text key={day} class="tick" x={x(index)} y={HEIGHT_PX - 6} text-anchor="middle">
              {day}
            </text>
          ) : null,
        )}
        {figures.map(({ label: day, value, text }, index) => {
          if (value === undefined) return null
          const [top, bottom] = [y(Math.max(0, value)), y(Math.min(0, value))]
          const barWidth = Math.max(1, Math.min(48, step * 0.75))
          return (
            <rect
              key={day}
              class="bar"
              x={x(index) - barWidth / 2}
              y={top}
              width={barWidth}
              height={bottom - top}
            >
              <title>{`${day}: ${text}`}</title>
            </rect>
          )
        })}
      </svg>
    </div>
  )
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })

export function BarChart({ figures, label }: ChartProps) {
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

function useWidth<E extends HTMLElement>() {
  const ref = useRef<E>(null)
  const width = useSignal(0)
  useEffect(() => {
    const element = ref.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => (width.value = element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [width])
  return { ref, width: width.value }
}
