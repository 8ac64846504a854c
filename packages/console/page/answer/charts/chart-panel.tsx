import { texts } from '../../texts.ts'
import { LIMITS } from '../limits.ts'
import { proofText } from '../proof-text.ts'
import { CellText } from '../table/cell-text.tsx'
import { SmallTable } from '../table/small-table.tsx'
import { TransferStatus } from '../transfer-status.tsx'
import { BarChart } from './bar-chart.tsx'
import type { ChartChoice, Figure } from './chart-figures.ts'
import type { Measure } from './chart-plan.ts'
import { type ChartState, filterColumns, mixedColumns, valuesOf } from './chart-state.ts'
import { DayChart } from './day-chart.tsx'

/** Charts of the complete report: what to show, the chart, its summary, and the figures as a table. */
export function ChartPanel({ state }: { readonly state: ChartState }) {
  const reading = state.reading.value
  if (state.plan.measures.length === 0) return <p class="quiet">{texts.answer.noCharts}</p>
  if (!reading) return null
  const end = reading.transfer.end.value
  if (end?.kind !== 'complete') return <TransferStatus transfer={reading.transfer} />
  const figures = state.figures.value
  const { grouping, measure } = state.choice.value
  const mixed = mixedColumns(state)
  const summary = summaryOf(state, figures)
  return (
    <div class="charts">
      <ChartChoices state={state} />
      {mixed.length > 0 && <p class="note warn">{texts.answer.mixed(mixed.join(', '))}</p>}
      <figure>
        {state.plan.days.has(grouping) ? (
          <DayChart
            figures={figures}
            shape={measure.kind === 'share' ? 'line' : 'bars'}
            label={summary}
          />
        ) : (
          <BarChart figures={figures.slice(0, LIMITS.chartBars)} label={summary} />
        )}
        <figcaption>
          {summary} {texts.answer.drawnFrom(reading.transfer.progress.value.rows)}{' '}
          {proofText(reading.transfer, end.outcome)}
        </figcaption>
      </figure>
      <FigureTable figures={figures} grouping={grouping} heading={measureName(state)} />
    </div>
  )
}

function ChartChoices({ state }: { readonly state: ChartState }) {
  const { plan, choice, reading } = state
  const groups = reading.value?.groups
  const { measure, grouping, currency, filters } = choice.value
  const change = (changed: Partial<ChartChoice>) => (choice.value = { ...choice.value, ...changed })
  const groupings = [...plan.others, ...plan.by, ...(plan.currency ? [plan.currency] : [])]
  const usable = groupings.filter((name) => measure.kind !== 'money' || name !== plan.currency)
  const currencies = groups && plan.currency !== undefined ? valuesOf(groups, plan.currency) : []
  const all = { value: '', text: texts.answer.all }
  return (
    <div class="fields">
      <Choice
        label={texts.answer.measure}
        value={String(plan.measures.indexOf(measure))}
        options={plan.measures.map((one, index) => ({ value: String(index), text: nameOf(one) }))}
        onChoose={(value) => change(chosenMeasure(state, plan.measures[Number(value)], currencies))}
      />
      <Choice
        label={texts.answer.grouping}
        value={grouping}
        options={usable.map((name) => ({ value: name, text: groupingName(state, name) }))}
        onChoose={(value) => change({ grouping: value })}
      />
      {currencies.length > 0 && grouping !== plan.currency && (
        <Choice
          label={texts.answer.currency}
          value={currency}
          options={[...(measure.kind === 'money' ? [] : [all]), ...currencies.map(asOption)]}
          onChoose={(value) => change({ currency: value })}
        />
      )}
      {groups &&
        filterColumns(state).map((name) => (
          <Choice
            key={name}
            label={name}
            value={filters[name] ?? ''}
            options={[all, ...valuesOf(groups, name).filter(Boolean).map(asOption)]}
            onChoose={(value) => change({ filters: { ...filters, [name]: value } })}
          />
        ))}
    </div>
  )
}

/** Amounts need one currency, and cannot be grouped by currency. */
function chosenMeasure(
  { plan, choice }: ChartState,
  measure: Measure | undefined,
  [firstCurrency = '']: readonly string[],
): Partial<ChartChoice> {
  if (!measure) return {}
  if (measure.kind !== 'money') return { measure }
  const { currency, grouping } = choice.value
  const groupings = [...plan.others, ...plan.by]
  return {
    measure,
    currency: currency || firstCurrency,
    grouping: grouping === plan.currency ? (groupings[0] ?? '') : grouping,
  }
}

interface Option {
  readonly value: string
  readonly text: string
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly Option[]
  readonly onChoose: (value: string) => void
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <label class="field">
      <span>
        <CellText text={label} />
      </span>
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </label>
  )
}

interface FigureTableProps {
  readonly figures: readonly Figure[]
  readonly grouping: string
  readonly heading: string
}

/** The figures of the chart, for those who read tables rather than pictures. */
function FigureTable({ figures, grouping, heading }: FigureTableProps) {
  const shown = figures.slice(0, LIMITS.chartFigures)
  return (
    <details class="figures">
      <summary>{texts.answer.figures(figures.length)}</summary>
      <SmallTable
        name={texts.answer.figures(figures.length)}
        titles={[grouping, heading]}
        numbers={1}
        rows={shown.map(({ label, text }) => [label, text])}
      />
      {shown.length < figures.length && (
        <p class="note">{texts.answer.otherFigures(shown.length, figures.length)}</p>
      )}
    </details>
  )
}

function summaryOf(state: ChartState, figures: readonly Figure[]): string {
  const drawn = figures.filter(({ value }) => value !== undefined)
  const [first] = drawn
  if (!first) return texts.answer.noFigures
  const isDays = state.plan.days.has(state.choice.value.grouping)
  const highest = drawn.reduce(
    (one, other) => ((other.value ?? 0) > (one.value ?? 0) ? other : one),
    first,
  )
  const lowest = drawn.reduce(
    (one, other) => ((other.value ?? 0) < (one.value ?? 0) ? other : one),
    first,
  )
  return texts.answer.summary({
    measure: measureName(state),
    grouping: groupingName(state, state.choice.value.grouping),
    groups: figures.length,
    drawn: isDays ? figures.length : Math.min(figures.length, LIMITS.chartBars),
    highest,
    lowest,
  })
}

/** The measure with what it is limited to: `Amount, EUR, sale, approved`. */
function measureName(state: ChartState): string {
  const { measure, currency, filters, grouping } = state.choice.value
  const chosen = filterColumns(state).map((name) => filters[name] ?? '')
  const inCurrency = grouping === state.plan.currency ? '' : currency
  return [nameOf(measure), inCurrency, ...chosen].filter(Boolean).join(', ')
}

function nameOf({ kind, column }: Measure): string {
  if (kind === 'share') return texts.answer.share
  return kind === 'rows' ? texts.answer.rows : (column ?? '')
}

function groupingName({ plan }: ChartState, name: string): string {
  return plan.days.has(name) ? texts.answer.perDay(name) : name
}

function asOption(value: string): Option {
  return { value, text: value }
}
