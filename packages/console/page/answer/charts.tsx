import type { ReportRequest } from '@counterfoil/client'
import { computed, signal } from '@preact/signals'
import { SelectField } from '../controls/fields.tsx'
import { Table } from '../controls/table.tsx'
import { formatCount } from './amounts.ts'
import { AnswerHead, Totals, TransferStatus } from './answer-parts.tsx'
import {
  type ChartChoice,
  type ChartGroups,
  createChartGroups,
  type Figure,
  figuresOf,
  isChosen,
  type Measure,
  planCharts,
  STATUS,
} from './chart-figures.ts'
import { BarChart, DayChart } from './drawings.tsx'
import { type LoadedRows, loadRows } from './rows.ts'
import type { Described } from './sums.ts'

export type ChartState = ReturnType<typeof createChartState>

const FIRST_CHOICE = ['approved', 'sale']

const BARS_MAX = 20

export function createChartState(request: ReportRequest, report: Described) {
  const plan = planCharts(report)
  // The complete report. Undefined until the person asks for it.
  const reading = signal<{ rows: LoadedRows; groups: ChartGroups } | undefined>(undefined)
  const choice = signal<ChartChoice>({
    measure: plan.measures[0] ?? { kind: 'rows' },
    grouping: plan.others[0] ?? plan.by[0] ?? plan.currency ?? '',
    currency: '',
    filters: {},
  })
  const figures = computed((): readonly Figure[] => {
    const { rows, groups } = reading.value ?? {}
    if (rows?.transfer.end.value?.kind !== 'complete' || !groups) return []
    return figuresOf(groups.by(choice.value.grouping), plan, choice.value)
  })
  return { plan, request, report, reading, choice, figures }
}

/** Requests the complete report with the columns of its charts, unless it arrives or is there. */
export function readCharts({ plan, request, report, reading, choice }: ChartState): void {
  const end = reading.value?.rows.transfer.end.value
  if ((reading.value && (!end || end.kind === 'complete')) || plan.measures.length === 0) return
  const groups = createChartGroups(plan)
  const settings = request.configurationReportParameters ?? []
  const asked = {
    ...request,
    configurationReportParameters: settings.filter(({ name }) => name !== 'totals'),
  }
  const onComplete = () => {
    const first = (column: string) => {
      return valuesOf(groups, column).find((value) => FIRST_CHOICE.includes(value)) ?? ''
    }
    const filters = Object.fromEntries(plan.by.map((name) => [name, first(name)]))
    const [currency = ''] = plan.currency === undefined ? [] : valuesOf(groups, plan.currency)
    choice.value = { ...choice.value, filters, currency }
  }
  const reader = { columns: plan.columns, onRow: groups.add, onComplete }
  reading.value = { rows: loadRows(asked, report, reader), groups }
}

export function ChartPanel({ state }: { readonly state: ChartState }) {
  const { rows, groups } = state.reading.value ?? {}
  if (!rows || !groups) {
    return <p class="quiet">This report declares no totals, so it has no charts.</p>
  }
  const { transfer } = rows
  return (
    <div class="stack">
      <TransferStatus transfer={transfer} />
      <AnswerHead transfer={transfer} />
      <Totals rows={rows} />
      {transfer.end.value?.kind === 'complete' &&
        (groups.isFull() ? (
          <p class="note warn">
            The report has too many groups for a chart. Choose a shorter period or more filters.
          </p>
        ) : (
          <Chart state={state} groups={groups} />
        ))}
    </div>
  )
}

interface ChartProps {
  readonly state: ChartState
  readonly groups: ChartGroups
}

function Chart({ state, groups }: ChartProps) {
  const figures = state.figures.value
  const { grouping } = state.choice.value
  const mixed = mixedColumns(state, groups)
  const summary = summaryOf(state, figures)
  return (
    <>
      <ChartChoices state={state} groups={groups} />
      {mixed.length > 0 && (
        <p class="note warn">
          This sum adds amounts of different {mixed.join(', ')}. Read what the report says about its
          amounts, or choose one of each.
        </p>
      )}
      <figure>
        {state.plan.days.has(grouping) ? (
          <DayChart figures={figures} label={summary} />
        ) : (
          <BarChart figures={figures.slice(0, BARS_MAX)} label={summary} />
        )}
        <figcaption>{summary}</figcaption>
      </figure>
      <details class="figures">
        <summary>The figures as a table ({formatCount(figures.length)})</summary>
        <Table
          name="Figures of the chart"
          titles={[grouping, measureName(state)]}
          isNumber={(column) => column > 0}
          rows={figures.map(({ label, text }) => [label, text])}
        />
      </details>
    </>
  )
}

function ChartChoices({ state, groups }: ChartProps) {
  const { plan, choice } = state
  const { measure, grouping, currency, filters } = choice.value
  const change = (changed: Partial<ChartChoice>) => (choice.value = { ...choice.value, ...changed })
  // Amounts need one currency, and cannot be grouped by currency.
  const isMoney = measure.kind === 'money'
  const usual = [...plan.others, ...plan.by]
  const groupings = plan.currency === undefined || isMoney ? usual : [...usual, plan.currency]
  const optionsOf = (column: string, hasAll: boolean) => {
    const values = valuesOf(groups, column).filter(Boolean)
    return [...(hasAll ? [['', 'All'] as const] : []), ...values.map((one) => [one, one] as const)]
  }
  const chooseMeasure = (chosen = measure) => {
    if (chosen.kind !== 'money' || plan.currency === undefined) return change({ measure: chosen })
    const [first = ''] = valuesOf(groups, plan.currency)
    const [other = ''] = grouping === plan.currency ? usual : [grouping]
    return change({ measure: chosen, currency: currency || first, grouping: other })
  }
  return (
    <div class="fields">
      <SelectField
        label="Show"
        value={String(plan.measures.indexOf(measure))}
        options={plan.measures.map((one, index) => [String(index), nameOf(one)])}
        onChoose={(value) => chooseMeasure(plan.measures[Number(value)])}
      />
      <SelectField
        label="By"
        value={grouping}
        options={groupings.map((name) => [name, groupingName(state, name)])}
        onChoose={(value) => change({ grouping: value })}
      />
      {plan.currency !== undefined && grouping !== plan.currency && (
        <SelectField
          label="Currency"
          value={currency}
          options={optionsOf(plan.currency, !isMoney)}
          onChoose={(value) => change({ currency: value })}
        />
      )}
      {filterColumns(state).map((name) => (
        <SelectField
          key={name}
          label={name}
          value={filters[name] ?? ''}
          options={optionsOf(name, true)}
          onChoose={(value) => change({ filters: { ...filters, [name]: value } })}
        />
      ))}
    </div>
  )
}

/** The values of a column that separates totals, the most frequent first. */
function valuesOf(groups: ChartGroups, column: string): readonly string[] {
  const counts = new Map<string, number>()
  for (const { values, rows } of groups.by('')) {
    const value = values[column] ?? ''
    counts.set(value, (counts.get(value) ?? 0) + rows)
  }
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([value]) => value)
}

/** Columns that the report separates, but the chosen sum of amounts does not. */
function mixedColumns({ plan, choice }: ChartState, groups: ChartGroups): readonly string[] {
  const { measure, grouping } = choice.value
  if (measure.kind !== 'money') return []
  const chosen = groups.by('').filter((group) => isChosen(group, plan, choice.value))
  return plan.by.filter((name) => {
    return name !== grouping && new Set(chosen.map(({ values }) => values[name])).size > 1
  })
}

function filterColumns({ plan, choice }: ChartState): readonly string[] {
  const { measure, grouping } = choice.value
  return plan.by.filter((name) => {
    return name !== grouping && !(measure.kind === 'share' && name === STATUS)
  })
}

function summaryOf(state: ChartState, figures: readonly Figure[]): string {
  const drawn = figures.filter(({ value }) => value !== undefined)
  const ends = drawn.toSorted((one, other) => (other.value ?? 0) - (one.value ?? 0))
  const [highest, lowest] = [ends[0], ends.at(-1)]
  if (!highest || !lowest) return 'No row of the report has these values.'
  const { grouping } = state.choice.value
  const isCut = !state.plan.days.has(grouping) && figures.length > BARS_MAX
  const most = isCut ? `, of which the chart shows the highest ${BARS_MAX}` : ''
  const count = `${formatCount(figures.length)} ${figures.length === 1 ? 'figure' : 'figures'}`
  const show = ({ label, text }: Figure) => `${label || '–'} with ${text}`
  return (
    `${measureName(state)} by ${groupingName(state, grouping)}: ${count}${most}. ` +
    `Highest: ${show(highest)}. Lowest: ${show(lowest)}.`
  )
}

/** The measure with what it is limited to: `Amount, EUR, sale, approved`. */
function measureName(state: ChartState): string {
  const { measure, currency, filters, grouping } = state.choice.value
  const chosen = filterColumns(state).map((name) => filters[name] ?? '')
  const inCurrency = grouping === state.plan.currency ? '' : currency
  return [nameOf(measure), inCurrency, ...chosen].filter(Boolean).join(', ')
}

function nameOf({ kind, column = '' }: Measure): string {
  if (kind === 'share') return 'Share of approved payments'
  return kind === 'rows' ? 'Rows' : column
}

function groupingName({ plan }: ChartState, name: string): string {
  return plan.days.has(name) ? `Day (${name})` : name
}
