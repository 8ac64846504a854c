import { SelectField } from '../controls/fields.tsx'
import { Table } from '../controls/table.tsx'
import { formatCount, groupThousands } from './amounts.ts'
import type { ChartChoice, Figure, Measure } from './chart-figures.ts'
import { type ChartState, filterColumns, mixedColumns, valuesOf } from './chart-state.ts'
import { BarChart, DayChart } from './drawings.tsx'
import type { LoadedRows } from './rows.ts'
import { AnswerHead, TransferStatus } from './transfer-status.tsx'

const BARS_MAX = 20

interface ChartProps {
  readonly state: ChartState
}

/** The complete report: its proof, its totals and its charts. */
export function ChartPanel({ state }: ChartProps) {
  const { rows, groups } = state.reading.value ?? {}
  if (!rows || !groups) {
    return <p class="quiet">This report declares no totals, so it has no charts.</p>
  }
  const { transfer } = rows
  return (
    <div class="charts">
      <TransferStatus transfer={transfer} />
      <AnswerHead transfer={transfer} />
      <Totals rows={rows} />
      {transfer.end.value?.kind === 'complete' &&
        (groups.areTooMany ? (
          <p class="note warn">
            The report has too many groups for a chart. Choose a shorter period or more filters.
          </p>
        ) : (
          <Chart state={state} />
        ))}
    </div>
  )
}

/** What to show, the chart, its summary, and the figures as a table. */
function Chart({ state }: ChartProps) {
  const figures = state.figures.value
  const { grouping } = state.choice.value
  const mixed = mixedColumns(state)
  const summary = summaryOf(state, figures)
  return (
    <>
      <ChartChoices state={state} />
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

/** The exact sums that the report's file declares, separated by the columns that it names. */
export function Totals({ rows }: { readonly rows: LoadedRows }) {
  const end = rows.transfer.end.value
  const isComplete = end?.kind === 'complete'
  const { by, columns } = rows.totals
  const totals = end ? rows.totals.totals(isComplete) : []
  if (totals.length === 0) return null
  const { rows: count } = rows.transfer.progress.value
  const covered = isComplete ? 'all rows' : `the first ${formatCount(count)} rows only`
  return (
    <details class="totals">
      <summary>Totals of {covered}</summary>
      {rows.report.note !== undefined && <p class="quiet">{rows.report.note}</p>}
      <Table
        name="Totals"
        titles={[...by, 'Rows', ...columns]}
        isNumber={(column) => column >= by.length}
        rows={totals.map(({ group, rows: summed, sums }) => [
          ...group,
          formatCount(summed),
          ...sums.map(groupThousands),
        ])}
      />
    </details>
  )
}

function ChartChoices({ state }: ChartProps) {
  const { plan, choice, reading } = state
  const groups = reading.value?.groups
  const { measure, grouping, currency, filters } = choice.value
  const change = (changed: Partial<ChartChoice>) => (choice.value = { ...choice.value, ...changed })
  const groupings = [...plan.others, ...plan.by, ...(plan.currency ? [plan.currency] : [])]
  const usable = groupings.filter((name) => measure.kind !== 'money' || name !== plan.currency)
  const optionsOf = (column: string, hasAll: boolean) => {
    const values = groups ? valuesOf(groups, column).filter(Boolean) : []
    return [...(hasAll ? [['', 'All'] as const] : []), ...values.map((one) => [one, one] as const)]
  }
  return (
    <div class="fields">
      <SelectField
        label="Show"
        value={String(plan.measures.indexOf(measure))}
        options={plan.measures.map((one, index) => [String(index), nameOf(one)])}
        onChoose={(value) => change(chooseMeasure(state, plan.measures[Number(value)]))}
      />
      <SelectField
        label="By"
        value={grouping}
        options={usable.map((name) => [name, groupingName(state, name)])}
        onChoose={(value) => change({ grouping: value })}
      />
      {plan.currency !== undefined && grouping !== plan.currency && (
        <SelectField
          label="Currency"
          value={currency}
          options={optionsOf(plan.currency, measure.kind !== 'money')}
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

/** Amounts need one currency, and cannot be grouped by currency. */
function chooseMeasure(state: ChartState, measure: Measure | undefined): Partial<ChartChoice> {
  const { plan, choice, reading } = state
  if (!measure) return {}
  if (measure.kind !== 'money' || plan.currency === undefined) return { measure }
  const { currency, grouping } = choice.value
  const [first = ''] = reading.value ? valuesOf(reading.value.groups, plan.currency) : []
  const [usual = ''] = [...plan.others, ...plan.by]
  return {
    measure,
    currency: currency || first,
    grouping: grouping === plan.currency ? usual : grouping,
  }
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
