import type { ReportRequest } from '@counterfoil/client'
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import {
  type ChartChoice,
  type ChartGroups,
  type ChartPlan,
  createChartGroups,
  type Figure,
  figuresOf,
  isChosen,
  type Measure,
  planCharts,
  STATUS,
} from './chart-figures.ts'
import type { Described } from './columns.ts'
import { type LoadedRows, sumRows } from './rows.ts'

/** The charts of a request, and what the person chose to see. */
export interface ChartState {
  readonly plan: ChartPlan
  readonly request: ReportRequest
  readonly report: Described
  /** The complete report for the charts. Undefined until the person asks for it. */
  readonly reading: Signal<Reading | undefined>
  readonly choice: Signal<ChartChoice>
  readonly figures: ReadonlySignal<readonly Figure[]>
}

interface Reading {
  readonly rows: LoadedRows
  readonly groups: ChartGroups
}

/** Amounts that are worth a first look. */
const FIRST_CHOICE = ['approved', 'sale']

const NO_MEASURE: Measure = { kind: 'rows' }

/** Creates the charts of a request, without figures. */
export function createChartState(request: ReportRequest, report: Described): ChartState {
  const plan = planCharts(report)
  const reading = signal<Reading | undefined>(undefined)
  const choice = signal<ChartChoice>({
    measure: plan.measures[0] ?? NO_MEASURE,
    grouping: plan.others[0] ?? plan.by[0] ?? plan.currency ?? '',
    currency: '',
    filters: {},
  })
  const figures = computed(() => {
    const { rows, groups } = reading.value ?? {}
    if (rows?.transfer.end.value?.kind !== 'complete' || !groups) return []
    return figuresOf(groups.by(choice.value.grouping), plan, choice.value)
  })
  return { plan, request, report, reading, choice, figures }
}

/** Requests the complete report with the columns of its charts, and groups its rows while they arrive. */
export function readCharts(state: ChartState): void {
  const { plan, request, report, reading, choice } = state
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
  const rows = sumRows(asked, report, plan.columns, {
    onRow: (row) => groups.add(row),
    onComplete,
  })
  reading.value = { rows, groups }
}

/** The values of a column that separates totals, the most frequent first. */
export function valuesOf(groups: ChartGroups, column: string): readonly string[] {
  const counts = new Map<string, number>()
  for (const { values, rows } of groups.by('')) {
    const value = values[column] ?? ''
    counts.set(value, (counts.get(value) ?? 0) + rows)
  }
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([value]) => value)
}

/** Columns that the report separates, but the chosen sum of amounts does not. */
export function mixedColumns({ plan, choice, reading }: ChartState): readonly string[] {
  const { measure, grouping } = choice.value
  if (measure.kind !== 'money' || !reading.value) return []
  const groups = reading.value.groups.by('').filter((group) => isChosen(group, plan, choice.value))
  return plan.by.filter((name) => {
    return name !== grouping && new Set(groups.map(({ values }) => values[name])).size > 1
  })
}

/** Columns that the person may choose a value of. */
export function filterColumns({ plan, choice }: ChartState): readonly string[] {
  const { measure, grouping } = choice.value
  return plan.by.filter((name) => {
    return name !== grouping && !(measure.kind === 'share' && name === STATUS)
  })
}
