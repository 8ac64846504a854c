export function ownTimezone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The periods that people ask for most: the first day, and the day after the last one. Days are YYYY-MM-DD. */
export const PERIODS = {
  Today: (today) => ({ dateFrom: today, dateTo: addDays(today, 1) }),
  Yesterday: (today) => ({ dateFrom: addDays(today, -1), dateTo: today }),
  'Last 7 days': (today) => ({ dateFrom: addDays(today, -7), dateTo: today }),
  'This month': (today) => ({ dateFrom: monthOf(today, 0), dateTo: monthOf(today, 1) }),
  'Last month': (today) => ({ dateFrom: monthOf(today, -1), dateTo: monthOf(today, 0) }),
  'This year': (today) => ({ dateFrom: `${today.slice(0, 4)}-01-01`, dateTo: addDays(today, 1) }),
} as const satisfies Record<string, (today: string) => { dateFrom: string; dateTo: string }>

/** Returns the day at an instant in a time zone, as YYYY-MM-DD. Falls back to UTC for an unknown zone. */
export function dayOf(instant: Date, timeZone: string): string {
  const format = (zone: string) => new Intl.DateTimeFormat('en-CA', { timeZone: zone })
  try {
    return format(timeZone).format(instant)
  } catch {
    return format('UTC').format(instant)
  }
}

/** Returns the first day of the month that is some months after the month of a day. */
export function monthOf(day: string, months: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10)
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
}
