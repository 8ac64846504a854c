/** A period of whole days: its first day, and the day after its last one. */
export interface Period {
  readonly dateFrom: string
  readonly dateTo: string
}

const DAY_MS = 86_400_000

/** The time zone of the person's machine. */
export function ownTimezone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The time zones that this browser knows. */
export const TIMEZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** The last whole month, on the person's calendar. */
export function lastMonth(now = new Date()): Period {
  return PERIODS.lastMonth(dayOf(now, ownTimezone()))
}

/** The periods that people ask for most, by the name of their text. `today` is a day as YYYY-MM-DD. */
export const PERIODS = {
  today: (today: string) => ({ dateFrom: today, dateTo: addDays(today, 1) }),
  yesterday: (today: string) => ({ dateFrom: addDays(today, -1), dateTo: today }),
  lastWeek: (today: string) => ({ dateFrom: addDays(today, -7), dateTo: today }),
  thisMonth: (today: string) => ({ dateFrom: monthOf(today, 0), dateTo: monthOf(today, 1) }),
  lastMonth: (today: string) => ({ dateFrom: monthOf(today, -1), dateTo: monthOf(today, 0) }),
  thisYear: (today: string) => ({ dateFrom: monthOf(today, 'year'), dateTo: addDays(today, 1) }),
} satisfies Record<string, (today: string) => Period>

/** The names of the periods, in the order in which the form shows them. */
export const PERIOD_NAMES = [
  'today',
  'yesterday',
  'lastWeek',
  'thisMonth',
  'lastMonth',
  'thisYear',
] as const satisfies readonly (keyof typeof PERIODS)[]

/** Returns the day at an instant in a time zone, as YYYY-MM-DD. Falls back to UTC for an unknown zone. */
export function dayOf(instant: Date, timeZone: string): string {
  const format = (zone: string) => new Intl.DateTimeFormat('en-CA', { timeZone: zone })
  try {
    return format(timeZone).format(instant)
  } catch {
    return format('UTC').format(instant)
  }
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Returns the first day of the month that is some months after the month of a day, or of its year. */
function monthOf(day: string, months: number | 'year'): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  const index = months === 'year' ? 0 : month - 1 + months
  return new Date(Date.UTC(year, index, 1)).toISOString().slice(0, 10)
}
