import { formatDecimal } from '@counterfoil/protocol'
import { decimalsIn } from './amounts.ts'
import {
  type Cell,
  createGroups,
  type Described,
  type Group,
  NO_TOTALS,
  type Place,
} from './sums.ts'

/** Groups of a chart. Each has its exact sums. */
export const CHART_GROUPS_MAX = 200_000

/** What the charts of a report are made from. All names are columns. */
export type ChartPlan = ReturnType<typeof planCharts>

/** What a chart shows: a sum of amounts or of counts, the number of rows, or the share of approved payments. */
export interface Measure {
  readonly kind: 'money' | 'count' | 'rows' | 'share'
  /** The summed column. Of a share: the column that counts, if the report has one. */
  readonly column?: string | undefined
}

export const STATUS = 'Status'

/** The column that counts payments, in reports whose rows stand for several. */
const COUNT = 'Count'

/** Decides what the charts of a report can show, by its declared totals and the kinds of its columns. */
export function planCharts(report: Described) {
  const { columns, totals = NO_TOTALS } = report
  const kindOf = (name: string) => columns.find((column) => column.name === name)?.kind
  const currency = totals.by.find((name) => /(?:^|_)currency$/i.test(name))
  const by = totals.by.filter((name) => name !== currency)
  // Rows of a list stand for one event each, and have texts of their own.
  const isList = report.inputReportParameters.some(({ name }) => name === 'changedSince')
  const usual = columns.filter(({ optional }) => !optional)
  const namesOf = (...kinds: readonly string[]) => {
    return usual.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name)
  }
  const days = namesOf('date', 'time')
  const texts = namesOf('text').filter((name) => !totals.by.includes(name))
  const others = isList ? days : [...days, ...texts]
  const summed = totals.columns.flatMap((column): Measure[] => {
    const kind = kindOf(column)
    if (kind === 'money') return [{ kind, column }]
    return kind === 'integer' ? [{ kind: 'count', column }] : []
  })
  const counted = totals.columns.includes(COUNT) ? COUNT : undefined
  const hasShare = by.includes(STATUS) && (isList || counted !== undefined)
  const measures: Measure[] = [
    ...summed,
    ...(isList ? [{ kind: 'rows' } as const] : []),
    ...(hasShare ? [{ kind: 'share', column: counted } as const] : []),
  ]
  const sums = summed.map(({ column = '' }) => column)
  const { opening, closing, account = [] } = totals.balances ?? {}
  const balances = [opening, closing, ...account].filter((name) => name !== undefined)
  const asked = [...totals.by, ...others, ...sums, ...balances]
  return {
    /** The columns that the report separates its totals by, without the currency. */
    by,
    currency,
    /** Columns of days or times, and texts of a report that is no list. Each may group a chart. */
    others,
    /** Those of `others` that hold days or times. */
    days: new Set(days),
    measures,
    columns: [...new Set(asked)],
  }
}

export type ChartGroups = ReturnType<typeof createChartGroups>

/**
 * Creates groups without rows. Each other column separates groups of its own: together they would make as many groups
 * as there are rows.
 */
export function createChartGroups(plan: ChartPlan) {
  const { by, currency = '', others, measures, days } = plan
  const find = (names: readonly string[]): readonly Place[] => {
    return plan.columns.flatMap((name, at) => {
      return names.includes(name) ? [{ name, at, isDay: days.has(name) }] : []
    })
  }
  const summed = find(measures.map(({ column = '' }) => column))
  const sets = new Map(
    (others.length > 0 ? others : ['']).map((other) => {
      return [other, createGroups(find([...by, currency, other]), summed)] as const
    }),
  )
  const isFull = () => [...sets.values()].some(({ all }) => all.size > CHART_GROUPS_MAX)
  return {
    /** Whether there are too many groups for a chart. Some rows are then in no group. */
    isFull,
    add: (cells: readonly Cell[]): void => {
      if (isFull()) return
      for (const groups of sets.values()) groups.add(cells)
    },
    /** Returns the groups that are separated by `column` too, if it is not one of the plan's `by`. */
    by: (column: string): readonly Group[] => {
      const groups = sets.get(column) ?? [...sets.values()][0]
      return [...(groups?.all.values() ?? [])]
    },
  }
}

export interface ChartChoice {
  readonly measure: Measure
  readonly grouping: string
  /** Required for amounts: amounts of two currencies are never summed. Empty: all. */
  readonly currency: string
  /** The chosen value of each column that separates totals. Empty: all. */
  readonly filters: Readonly<Record<string, string>>
}

export interface Figure {
  readonly label: string
  /** To draw it. Undefined if there is none, as for the share of no payments. */
  readonly value: number | undefined
  readonly text: string
}

/** The statuses of payments that were decided, as `Approval_rate` of the report `daily-totals` counts them. */
const DECIDED = ['approved', 'declined', 'filtered', 'error']
const APPROVED = 'approved'
const DAY_MS = 86_400_000
/** A longer period has its gaps. */
const DAYS_MAX = 4000

interface Tally {
  readonly sum: bigint
  /** Of a share: what the sum is a part of. */
  readonly all: bigint
}

/** Returns the figures of a chart in their order: days by time and without gaps, others from the highest. */
export function figuresOf(
  groups: readonly Group[],
  plan: ChartPlan,
  choice: ChartChoice,
): readonly Figure[] {
  const { measure, grouping } = choice
  const tallies = new Map<string, Tally>()
  for (const group of groups) {
    if (!isChosen(group, plan, choice)) continue
    const label = group.values[grouping] ?? ''
    const { sum, all } = tallies.get(label) ?? NOTHING
    const added = tallyOf(group, measure)
    tallies.set(label, { sum: sum + added.sum, all: all + added.all })
  }
  const isByDay = plan.days.has(grouping)
  const labels = isByDay ? withoutGaps([...tallies.keys()].toSorted()) : [...tallies.keys()]
  // No `Math.max(...)`: a function does not take as many arguments as a chart may have groups.
  const digits = [...tallies.values()].reduce(
    (most, { sum }) => Math.max(most, decimalsIn(formatDecimal(sum))),
    0,
  )
  const figures = labels.map((label): Figure => {
    const { sum, all } = tallies.get(label) ?? NOTHING
    if (measure.kind !== 'share') {
      return { label, value: Number(formatDecimal(sum)), text: formatDecimal(sum, digits) }
    }
    if (all === 0n) return { label, value: undefined, text: '' }
    const hundredths = Number((sum * 20_000n + all) / (2n * all))
    return { label, value: hundredths / 100, text: `${(hundredths / 100).toFixed(2)} %` }
  })
  if (isByDay) return figures
  return figures.toSorted((one, other) => (other.value ?? -1) - (one.value ?? -1))
}

const NOTHING: Tally = { sum: 0n, all: 0n }

function tallyOf({ values, rows, sums }: Group, { kind, column }: Measure): Tally {
  const counted = column === undefined ? BigInt(rows) * 10n ** 18n : (sums[column]?.scaled ?? 0n)
  if (kind !== 'share') return { sum: counted, all: 0n }
  const status = values[STATUS] ?? ''
  if (!DECIDED.includes(status)) return NOTHING
  return { sum: status === APPROVED ? counted : 0n, all: counted }
}

/** Whether a group has the chosen values. The grouping shows all of its own, and a share needs every status. */
export function isChosen({ values }: Group, plan: ChartPlan, choice: ChartChoice): boolean {
  const { filters, grouping, measure, currency } = choice
  const wanted = plan.currency === undefined ? filters : { ...filters, [plan.currency]: currency }
  return Object.entries(wanted).every(([name, value]) => {
    if (value === '' || values[name] === value) return true
    const isMoneyOf = name === plan.currency && measure.kind === 'money'
    return (name === grouping && !isMoneyOf) || (measure.kind === 'share' && name === STATUS)
  })
}

function withoutGaps(days: readonly string[]): readonly string[] {
  const dated = days.filter((day) => day !== '')
  const [first, last] = [dated[0], dated.at(-1)].map((day) => Date.parse(`${day}T00:00:00Z`))
  if (first === undefined || last === undefined || !(last - first < DAYS_MAX * DAY_MS)) return dated
  return Array.from({ length: (last - first) / DAY_MS + 1 }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  )
}

const STEPS = [1, 2, 2.5, 5, 10]
const TICKS_MAX = 6

/** Returns round values from below `low` to above `high`, at most about six. */
export function ticksOf(low: number, high: number): readonly number[] {
  const span = high - low || 1
  const power = 10 ** Math.floor(Math.log10(span / TICKS_MAX))
  const step = power * (STEPS.find((factor) => span / (factor * power) <= TICKS_MAX) ?? 10)
  const first = Math.floor(low / step)
  const last = Math.max(first + 1, Math.ceil(high / step))
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
}
