import type { DateFormat, ValueStyle } from '@counterfoil/engine'
import { offsetMs } from '@counterfoil/common'
import type { ReportAbout, ReportFile } from '../format/format.ts'

/** What a document says about its report, in words for people. */
interface ReportFact {
  readonly label: string
  readonly values: readonly string[]
}

/** Parameters that the facts about the period and the time zone show. */
const SHOWN_APART = ['dateFrom', 'dateTo', 'dateAxis', 'timezone']

/** Returns what a document says about its report: who asked for it, what it covers, and when the gateway made it. */
export function reportFacts(file: Pick<ReportFile, 'about' | 'values'>): readonly ReportFact[] {
  const { about, values } = file
  const { login, timezone, filters, parameters, madeAt } = about
  const chosen = [...Object.entries(filters), ...Object.entries(parameters)]
  return [
    { label: 'Login', values: [login] },
    { label: 'Period', values: [periodOf(about, values)] },
    { label: 'Time zone', values: [timezone] },
    ...chosen
      .filter(([name]) => !SHOWN_APART.includes(name))
      .map(([name, value]) => ({ label: wordsOf(name), values: [value].flat().map(wordOf) })),
    { label: 'Made at', values: [localTime(madeAt, timezone, values.dateFormat)] },
  ]
}

function wordOf(value: string | number | boolean): string {
  if (typeof value !== 'boolean') return String(value)
  return value ? 'yes' : 'no'
}

/** The name of a filter or parameter in words: `Statement id` for `statementId`. */
function wordsOf(name: string): string {
  const words = name.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const DAY_MS = 86_400_000
const MIDNIGHT = ' 00:00:00'

/** Returns the first and the last day of a report's period for the name of its file, such as `2026-10-01_2026-10-31`. */
export function periodInName(
  about: Pick<ReportAbout, 'parameters' | 'timezone'>,
): string | undefined {
  const { parameters, timezone } = about
  const [from, to] = endsOf(parameters)
  const day = (instant: number): string => localTime(instant, timezone, 'ISO').slice(0, 10)
  if (to === undefined) return from === undefined ? undefined : `from_${day(from)}`
  if (from === undefined) return `until_${day(to - 1)}`
  const last = day(Math.max(from, to - 1))
  return day(from) === last ? last : `${day(from)}_${last}`
}

/** Reads the ends of the period, which are instants in UTC. */
function endsOf(
  parameters: ReportAbout['parameters'],
): readonly [from: number | undefined, to: number | undefined] {
  const instantOf = (name: string): number | undefined => {
    const text = parameters[name]
    return typeof text === 'string' ? Date.parse(`${text.replace(' ', 'T')}Z`) : undefined
  }
  return [instantOf('dateFrom'), instantOf('dateTo')]
}

/** The period with its last day. If an end is not the start of a day, both have their time. */
function periodOf(
  { parameters, timezone }: ReportAbout,
  { dateFormat }: Pick<ValueStyle, 'dateFormat'>,
): string {
  const [from, to] = endsOf(parameters)
  const axis = parameters['dateAxis']
  const by = axis === undefined ? '' : `, by the ${String(axis)} date`
  const time = (instant: number): string => localTime(instant, timezone, dateFormat)
  const isDays = [from, to].every((end) => end === undefined || time(end).endsWith(MIDNIGHT))
  const day = (instant: number): string => time(instant).slice(0, -MIDNIGHT.length)
  return periodText(from, to, isDays, isDays ? day : time) + by
}

function periodText(
  from: number | undefined,
  to: number | undefined,
  isDays: boolean,
  show: (instant: number) => string,
): string {
  if (from === undefined && to === undefined) return 'All days'
  if (to === undefined) return `From ${show(from ?? 0)}`
  // A day may have 23 hours. Half of it is still in the day before.
  const end = isDays ? show(to - DAY_MS / 2) : show(to)
  const start = from === undefined ? 'Until' : `${show(from)} to`
  if (from !== undefined && isDays && show(from) === end) return end
  return `${start} ${end}${isDays ? '' : ', the end not included'}`
}

/** The order of year, month and day. */
const ORDERS: Partial<Record<DateFormat, string>> = {
  'DD.MM.YYYY': '$3.$2.$1',
  'MM/DD/YYYY': '$2/$3/$1',
}

/** Writes an instant as the clocks of a time zone show it. */
function localTime(instant: number, timezone: string, format: DateFormat): string {
  const local = new Date(instant + offsetMs(instant, timezone)).toISOString()
  const order = ORDERS[format] ?? '$1-$2-$3'
  return local.replace(/^(\d{4})-(\d\d)-(\d\d)T(.{8}).*$/, `${order} $4`)
}
