import type { DayFormat, Source } from '../source/source.ts'
import { literal } from '@counterfoil/engine'

export interface ReadingOfValues extends Pick<Source, 'days' | 'notCardNumbers'> {
  /** The zone of times without one, as the engine names it. */
  readonly timezone: string | undefined
  /** Whether a time may end with the name of its zone. */
  readonly hasZones: boolean
}

/** The pattern of a day in each format, and the replacement that orders its parts as year, month, day. */
const DAYS: Readonly<Record<DayFormat, { readonly pattern: string; readonly order: string }>> = {
  'YYYY-MM-DD': { pattern: '([0-9]{4})-([0-9]{2})-([0-9]{2})', order: '\\\\1-\\\\2-\\\\3' },
  'DD.MM.YYYY': { pattern: '([0-9]{2})[.]([0-9]{2})[.]([0-9]{4})', order: '\\\\3-\\\\2-\\\\1' },
  'DD/MM/YYYY': { pattern: '([0-9]{2})/([0-9]{2})/([0-9]{4})', order: '\\\\3-\\\\2-\\\\1' },
  'DD-MM-YYYY': { pattern: '([0-9]{2})-([0-9]{2})-([0-9]{4})', order: '\\\\3-\\\\2-\\\\1' },
  'MM/DD/YYYY': { pattern: '([0-9]{2})/([0-9]{2})/([0-9]{4})', order: '\\\\3-\\\\1-\\\\2' },
}

// The groups: day, hours and minutes, seconds, fraction, offset, name of a zone.
const TIME =
  '^([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}:[0-9]{2})(:[0-9]{2})?([.][0-9]{1,9})?(Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?(?: ([A-Za-z][A-Za-z0-9_+/-]*))?$'
const DAY_MS = 86_400_000
// The range of the engine's instants that is valid in every zone.
const FIRST = "toDateTime64('1900-01-02 00:00:00', 3, 'UTC')"
const LAST = "toDateTime64('2299-12-30 23:59:59', 3, 'UTC')"

/**
 * Returns SQL that defines `value_<name>` as the day in `text_<name>`, or NULL if the day does not exist. The engine
 * alone would read February 30 as March 2, so the SQL compares the day with its text.
 */
export function defineDay(name: string, format: DayFormat): readonly string[] {
  return [
    `${isoDay(name, format)} AS iso_${name}`,
    `toDate32OrNull(iso_${name}) AS day_${name}`,
    `if(toString(day_${name}) = iso_${name}, day_${name}, NULL) AS value_${name}`,
  ]
}

/**
 * Returns SQL that defines `value_<name>` as the instant in `text_<name>`, or NULL if the time does not exist. A time
 * without a zone is a local time of `timezone`. It is NULL too if local clocks skip it or show it twice, because its
 * instant is unknown.
 */
export function defineTime(
  name: string,
  { days: format, timezone, hasZones }: ReadingOfValues,
): readonly string[] {
  const parts = `parts_${name}`
  const clock = `clock_${name}`
  const seconds = `if(${parts}[3] = '', ':00', ${parts}[3])`
  const milliseconds = `rightPad(substring(${parts}[4], 2, 3), 3, '0')`
  const written = `iso_${name}`
  const offset = `if(startsWith(${parts}[5], '-'), -1, 1) * (toInt32OrZero(substring(${parts}[5], 2, 2)) * 3600
    + if(length(${parts}[5]) > 3, toInt32OrZero(right(${parts}[5], 2)), 0) * 60)`
  const zone = hasZones ? `zone_${name}` : literal(timezone ?? '')
  const isLocal = hasZones || (timezone !== undefined && timezone !== 'UTC')
  const zoned = hasZones ? `if(has_zone_${name}, zoned_${name}, NULL)` : `zoned_${name}`
  const inZone = isLocal ? zoned : timezone === undefined ? 'NULL' : clock
  return [
    `extractGroups(ifNull(${isoDay(name, format)}, ''), '${TIME}') AS ${parts}`,
    `concat(${parts}[1], ' ', ${parts}[2], ${seconds}, '.', ${milliseconds}) AS ${written}`,
    `toDateTime64OrNull(${written}, 3, 'UTC') AS read_${name}`,
    // Digits after the milliseconds are cut (`isCut`).
    `toString(read_${name}) = ${written} AND read_${name} BETWEEN ${FIRST} AND ${LAST} AS is_${name}`,
    `if(is_${name}, read_${name}, NULL) AS ${clock}`,
    ...(hasZones ? defineZone(name, timezone) : []),
    ...(isLocal ? defineZoned(name, zone) : []),
    `if(${parts}[5] = '', ${inZone}, ${clock} - toIntervalSecond(${offset})) AS value_${name}`,
  ]
}

/** Returns SQL: whether the time has digits after its milliseconds that are not zeros. */
export function isCut(name: string): string {
  return `match(parts_${name}[4], '[.][0-9]{3}[0-9]*[1-9]')`
}

/** Returns SQL: the zone that a time names, or else the zone of the source; and whether there is one. */
function defineZone(name: string, timezone: string | undefined): readonly string[] {
  const named = `parts_${name}[6]`
  const isKnown = `${named} IN (SELECT time_zone FROM system.time_zones)`
  return [
    `${isKnown} AS is_named_${name}`,
    `is_named_${name} OR ${named} = '' AND ${timezone === undefined ? 0 : 1} AS has_zone_${name},
    if(is_named_${name}, ${named}, ${literal(timezone ?? 'UTC')}) AS zone_${name}`,
  ]
}

/** Returns SQL: the instant at which local clocks show `clock_<name>`, if there is exactly one. */
function defineZoned(name: string, zone: string): readonly string[] {
  // Uses the local time, because the engine's `timezoneOffset` is wrong for zones that once changed by a day.
  const shownAt = (ms: string): string => {
    const shown = `toString(fromUnixTimestamp64Milli(${ms}, 'UTC'), ${zone})`
    return `toUnixTimestamp64Milli(toDateTime64(${shown}, 3, 'UTC'))`
  }
  const [wall, early, late] = [`wall_${name}`, `early_${name}`, `late_${name}`]
  const takenAt = (ms: string): string => `${wall} - (${shownAt(ms)} - (${ms}))`
  return [
    `toUnixTimestamp64Milli(clock_${name}) AS ${wall}`,
    // The offsets of the day before and of the day after. Near a change there is no third offset.
    `${takenAt(`${wall} - ${DAY_MS}`)} AS ${early}, ${takenAt(`${wall} + ${DAY_MS}`)} AS ${late}`,
    `${shownAt(early)} = ${wall} AS is_${early}, ${shownAt(late)} = ${wall} AS is_${late}`,
    `multiIf(${early} = ${late}, if(is_${early}, ${early}, NULL), is_${early} > is_${late}, ${early}, is_${late} > is_${early}, ${late}, NULL) AS only_${name}`,
    `fromUnixTimestamp64Milli(only_${name}, 'UTC') AS zoned_${name}`,
  ]
}

function isoDay(name: string, format: DayFormat): string {
  const { pattern, order } = DAYS[format]
  return format === 'YYYY-MM-DD'
    ? `text_${name}`
    : `replaceRegexpOne(text_${name}, '^${pattern}', '${order}')`
}
