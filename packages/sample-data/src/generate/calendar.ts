import { BLOCK_ROOTS, BLOCK_ROWS } from './slots.ts'

const DAY_MS = 86_400_000

/** The first day of the ledger, a Monday. */
const FIRST_DAY_MS = Date.parse('2024-01-01')

/** The first day as the engine counts days, from 1970. */
export const FIRST_DAY_NUMBER = FIRST_DAY_MS / DAY_MS

/** How many days the ledger has. A day's number from 0 identifies it. */
export const DAYS = dayOf('2026-11-01')

/**
 * The hours in UTC at which clocks change. The first transactions of such a day are half an hour before and after the
 * change.
 */
const CLOCK_CHANGES: Readonly<Record<string, number>> = {
  '2024-03-10': 7,
  '2024-03-31': 1,
  '2024-10-27': 1,
  '2024-11-03': 6,
  '2025-03-09': 7,
  '2025-03-30': 1,
  '2025-10-26': 1,
  '2025-11-02': 6,
  '2026-03-08': 7,
  '2026-03-29': 1,
  '2026-10-25': 1,
}

/** The least number of transactions on a special day: at its first and last instant, and around a clock change. */
const SPECIAL_DAY_ROOTS = 4

/** A change of clocks: its day, and its hour in UTC. */
export const CLOCK_CHANGE_DAYS = Object.entries(CLOCK_CHANGES).map(([date, hour]) => {
  return { day: dayOf(date), hour }
})

/** The days of one query. `to` is not included. */
export type DayRange = readonly [from: number, to: number]

/**
 * Distributes transactions over the days: growth of 2% a month, few on Sundays, many on Fridays and in November. A root is
 * independent; other transactions follow from a root (`slots.ts`). Roots are in the order of their days.
 */
export function makeCalendar(rows: number) {
  const roots =
    Math.floor(rows / BLOCK_ROWS) * BLOCK_ROOTS + Math.min(rows % BLOCK_ROWS, BLOCK_ROOTS)
  const special = specialDays()
  const shared = BigInt(roots - special.size * SPECIAL_DAY_ROOTS)
  const weights = dayWeights()
  const total = weights.reduce((sum, weight) => sum + weight, 0n)
  const starts = [0]
  let [weight, fixed] = [0n, 0]
  for (let day = 0; day < DAYS; day += 1) {
    weight += weights[day] ?? 0n
    if (special.has(day)) fixed += SPECIAL_DAY_ROOTS
    starts.push(fixed + Number((shared * weight) / total))
  }
  const guideStep = Math.max(
    1,
    Math.min(...starts.slice(1).map((end, day) => end - (starts[day] ?? 0))),
  )
  const guide: number[] = []
  for (const [day, end] of starts.slice(1).entries()) {
    while (guide.length * guideStep < end) guide.push(day)
  }
  return {
    rows,
    /** The number of the first root of each day, and the end of the last day. */
    starts,
    guideStep,
    /** The day of every `guideStep`th root. Each root up to the next entry has this day or the day after it. */
    guide,
  }
}

/** How many transactions each day has. */
export type Calendar = Readonly<ReturnType<typeof makeCalendar>>

/**
 * Splits the days into ranges of about `rowsMax` transactions: several months, one month, or a part of one. A partition
 * then gets as few parts as possible.
 */
export function splitDays({ rows, starts }: Calendar, rowsMax: number): readonly DayRange[] {
  const share = rowsMax * ((starts[DAYS] ?? 0) / rows)
  const rootsOf = ([from, to]: DayRange): number => (starts[to] ?? 0) - (starts[from] ?? 0)
  const ranges: DayRange[] = []
  for (const month of months()) {
    const last = ranges.at(-1)
    const joined: DayRange | undefined = last && [last[0], month[1]]
    if (joined && rootsOf(joined) <= share) ranges.splice(-1, 1, joined)
    else ranges.push(...split(month, Math.ceil(rootsOf(month) / share)))
  }
  return ranges
}

/** The blocks with all transactions of some days, if these follow from roots at most `lagDaysMax` before. */
export function blocksOf({ rows, starts }: Calendar, [from, to]: DayRange, lagDaysMax: number) {
  const first = Math.floor((starts[Math.max(0, from - lagDaysMax)] ?? 0) / BLOCK_ROOTS) * BLOCK_ROWS
  const end = Math.ceil((starts[to] ?? 0) / BLOCK_ROOTS) * BLOCK_ROWS
  return { first, count: Math.min(end, rows) - first }
}

/** The number of a day. */
function dayOf(date: string): number {
  return (Date.parse(date) - FIRST_DAY_MS) / DAY_MS
}

function months(): readonly DayRange[] {
  const ranges: DayRange[] = []
  while (ranges.at(-1)?.[1] !== DAYS) {
    const from = ranges.at(-1)?.[1] ?? 0
    const first = new Date(FIRST_DAY_MS + from * DAY_MS)
    const next = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1)
    ranges.push([from, (next - FIRST_DAY_MS) / DAY_MS])
  }
  return ranges
}

/** Splits a range, but never a day. */
function split([from, to]: DayRange, wanted: number): readonly DayRange[] {
  const pieces = Math.min(wanted, to - from)
  const bounds = Array.from({ length: pieces + 1 }, (_, piece) => {
    return from + Math.floor(((to - from) * piece) / pieces)
  })
  return bounds.slice(1).map((end, index) => [bounds[index] ?? 0, end])
}

/** The leap day, the ends of months, and the clock changes. */
function specialDays(): ReadonlySet<number> {
  const ends = months().map(([, end]) => end - 1)
  return new Set([dayOf('2024-02-29'), ...ends, ...CLOCK_CHANGE_DAYS.map(({ day }) => day)])
}

function dayWeights(): readonly bigint[] {
  let level = 1_000_000n
  return months().flatMap(([from, to], month) => {
    level = (level * 102n) / 100n
    const isNovember = month % 12 === 10
    return Array.from({ length: to - from }, (_, index) => {
      const weekday = (from + index) % 7
      const ofWeekday = weekday === 4 ? 115n : weekday === 6 ? 88n : 100n
      return level * ofWeekday * (isNovember ? 18n : 10n)
    })
  })
}
