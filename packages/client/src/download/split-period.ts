import type { ReportRequest } from '@counterfoil/protocol'
import { InvalidSettings } from '../errors/counterfoil-error.ts'
import { toReportRequest } from '../report/report-options.ts'

/** A part of a period: its request, and its first day, which names it. */
export interface PeriodPart {
  readonly day: string
  /** The end, as local time in the time zone of the request: `2026-05-02`, or `2026-05-02 13:45`. */
  readonly end: string
  readonly request: ReportRequest
}

const DAY_MS = 86_400_000

/**
 * Splits the period of a request at every midnight. The parts are in the order of the days, without gaps.
 *
 * @throws {InvalidSettings} if the request has no period, or the days cannot be joined
 */
export function splitPeriod(request: ReportRequest): readonly PeriodPart[] {
  const [from, to] = [endOf(request, 'dateFrom'), endOf(request, 'dateTo')]
  const isTotal = request.configurationReportParameters?.some(({ name, value }) => {
    return name === 'totals' && value !== 'off'
  })
  if (isTotal) throw new InvalidSettings('split: totals of days are not the totals of the period')
  const { reportFormat = 'CSV', reportEncode = 'UTF-8' } = request
  if (!/^(?:CSV|JSONL)$/i.test(reportFormat) || /^utf-?(?:16|32)/i.test(reportEncode)) {
    const got = `${reportFormat} in ${reportEncode}`
    throw new InvalidSettings(`split: cannot join ${got}; use CSV or JSONL in UTF-8`)
  }
  const parts: PeriodPart[] = []
  for (let start = from; start < to; ) {
    const next = nextMidnight(start)
    const end = next < to ? next : to
    const part = toReportRequest(request, { dateFrom: start, dateTo: end })
    parts.push({ day: start.slice(0, 10), end, request: part })
    start = end
  }
  if (parts.length === 0) throw new InvalidSettings('split: dateTo must be after dateFrom')
  return parts
}

/** Whether a part was over at an instant in UTC. Until then, the gateway may receive further rows of its day. */
export function wasOver({ end, request }: PeriodPart, instant: string): boolean {
  const timeZone = parameterOf(request, 'timezone') ?? 'UTC'
  try {
    // Swedish writes times as 2026-05-01 13:45:00, which sorts with the ends.
    const format = new Intl.DateTimeFormat('sv', {
      dateStyle: 'short',
      timeStyle: 'medium',
      timeZone,
    })
    return format.format(new Date(instant)) >= end
  } catch {
    // The runtime does not know the time zone, or the instant is malformed.
    return false
  }
}

/** Returns an end of the period, such as `2026-05-01` or `2026-05-01 13:45`. Such texts sort by time. */
function endOf(request: ReportRequest, name: string): string {
  const value = parameterOf(request, name)
  const [, day = '', time] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?))?$/.exec(value ?? '') ?? []
  if (Number.isNaN(Date.parse(day))) {
    const got = value === undefined ? 'none' : JSON.stringify(value)
    throw new InvalidSettings(`split: expected ${name} to be a day or a time, got ${got}`)
  }
  const isMidnight = time === undefined || /^[0:.]+$/.test(time)
  return isMidnight ? day : `${day} ${time}`
}

function parameterOf({ inputReportParameters }: ReportRequest, name: string): string | undefined {
  return inputReportParameters?.find((parameter) => parameter.name === name)?.value
}

function nextMidnight(time: string): string {
  return new Date(Date.parse(time.slice(0, 10)) + DAY_MS).toISOString().slice(0, 10)
}
