import { formatDecimal } from '@counterfoil/protocol'
import { toNumber } from '../table/decimals.ts'
import type { ChartGroup } from './chart-groups.ts'
import { type ChartPlan, type Measure, STATUS } from './chart-plan.ts'

/** What a person chose to see. */
export interface ChartChoice {
  readonly measure: Measure
  /** The column that groups the figures. */
  readonly grouping: string
  /** Required for amounts: amounts of two currencies are never summed. Empty: all. */
  readonly currency: string
  /** The chosen value of each column that separates totals. Empty: all. */
  readonly filters: Readonly<Record<string, string>>
}

/** A figure of a chart. */
export interface Figure {
  readonly label: string
  /** To draw it. Undefined if there is none, as for the share of no payments. */
  readonly value: number | undefined
  /** The exact figure. */
  readonly text: string
}

/** The statuses of payments that were decided, as `Approval_rate` of the report `daily-totals` counts them. */
const DECIDED = ['approved', 'declined', 'filtered', 'error']
const APPROVED = 'approved'
const DAY_MS = 86_400_000
/** A longer period has its gaps. */
const DAYS_MAX = 4000

/** Scaled integers. */
interface Tally {
  readonly sum: bigint
  /** Of a share: what the sum is a part of. */
  readonly all: bigint
}

/** Returns the figures of a chart in their order: days by time and without gaps, others from the highest. */
export function figuresOf(
  groups: readonly ChartGroup[],
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
  const digits = [...tallies.values()].reduce((most, { sum }) => Math.max(most, digitsIn(sum)), 0)
  const figures = labels.map((label): Figure => {
    const { sum, all } = tallies.get(label) ?? NOTHING
    if (measure.kind !== 'share') {
      return { label, value: toNumber(sum), text: formatDecimal(sum, digits) }
    }
    if (all === 0n) return { label, value: undefined, text: '' }
    const hundredths = Number((sum * 20_000n + all) / (2n * all))
    return { label, value: hundredths / 100, text: `${(hundredths / 100).toFixed(2)} %` }
  })
  if (isByDay) return figures
  return figures.toSorted((one, other) => (other.value ?? -1) - (one.value ?? -1))
}

const NOTHING: Tally = { sum: 0n, all: 0n }

function tallyOf({ values, rows, sums }: ChartGroup, { kind, column }: Measure): Tally {
  const counted = column === undefined ? BigInt(rows) * 10n ** 18n : (sums[column] ?? 0n)
  if (kind !== 'share') return { sum: counted, all: 0n }
  const status = values[STATUS] ?? ''
  if (!DECIDED.includes(status)) return NOTHING
  return { sum: status === APPROVED ? counted : 0n, all: counted }
}

/** Whether a group has the chosen values. The grouping shows all of its own, and a share needs every status. */
export function isChosen({ values }: ChartGroup, plan: ChartPlan, choice: ChartChoice): boolean {
  const { filters, grouping, measure, currency } = choice
  const wanted = plan.currency === undefined ? filters : { ...filters, [plan.currency]: currency }
  return Object.entries(wanted).every(([name, value]) => {
    if (value === '' || values[name] === value) return true
    const isMoneyOf = name === plan.currency && measure.kind === 'money'
    return (name === grouping && !isMoneyOf) || (measure.kind === 'share' && name === STATUS)
  })
}

/** Adds the days between the first and the last. */
function withoutGaps(days: readonly string[]): readonly string[] {
  const dated = days.filter((day) => day !== '')
  const [first, last] = [dated[0], dated.at(-1)].map((day) => Date.parse(`${day}T00:00:00Z`))
  if (first === undefined || last === undefined || !(last - first < DAYS_MAX * DAY_MS)) return dated
  return Array.from({ length: (last - first) / DAY_MS + 1 }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  )
}

function digitsIn(sum: bigint): number {
  const text = formatDecimal(sum)
  const point = text.indexOf('.')
  return point < 0 ? 0 : text.length - point - 1
}
