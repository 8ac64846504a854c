/** The pattern of a day or a wall-clock time. */
const WRITTEN = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?)?$/

// The engine's DateTime64(3) goes from 1900 to 2299.
const DAY_MIN = '1900-01-01'
const DAY_MAX = '2299-12-31'
const DAY_MS = 86_400_000

/**
 * Parses a wall-clock time of a time zone: `YYYY-MM-DD` or `YYYY-MM-DD HH:MM[:SS[.mmm]]` (or with `T`).
 *
 * If clocks go forward, a skipped time is read with the offset before the change: 02:30 is an hour after 01:30. If they
 * go back, a time that occurs twice is read as its first occurrence.
 *
 * @returns milliseconds since 1970 UTC, or `undefined` if there is no such time, as on February 30 or at 24:00
 */
export function parseInstant(text: string, timezone: string): number | undefined {
  const wall = parseWallClock(text)
  if (wall === undefined) return undefined
  // The offsets a day before and a day after are the only two that a time near a change can have.
  const before = offsetMs(wall - DAY_MS, timezone)
  const after = offsetMs(wall + DAY_MS, timezone)
  const candidates = [wall - before, wall - after].filter(
    (instant) => instant + offsetMs(instant, timezone) === wall,
  )
  return candidates.length > 0 ? Math.min(...candidates) : wall - before
}

/** Formats an instant for the engine's `DateTime64(3, 'UTC')`: `2026-11-20 10:00:00.000`. */
export function formatInstant(instant: number): string {
  return new Date(instant).toISOString().replace('T', ' ').replace('Z', '')
}

/** The end of a run's changes. */
export interface Cursor {
  /** Milliseconds since 1970. */
  readonly instant: number
  /** The ledger whose clock the instant is of. Undefined if the ledger has no id. */
  readonly ledger: string | undefined
}

/**
 * Parses the cursor of a run: an instant in UTC, exactly as `Date.toISOString` writes it, and the id of the ledger
 * after `_`.
 */
export function parseCursor(text: string): Cursor | undefined {
  const [time = '', ledger, more] = text.split('_')
  const instant = time >= '1970' && time < '2300' ? Date.parse(time) : Number.NaN
  if (Number.isNaN(instant) || more !== undefined) return undefined
  if (new Date(instant).toISOString() !== time) return undefined
  return ledger === undefined || /^[\da-f]{12}$/.test(ledger) ? { instant, ledger } : undefined
}

/** Writes a cursor as {@link parseCursor} reads it. */
export function formatCursor({ instant, ledger }: Cursor): string {
  const time = new Date(instant).toISOString()
  return ledger === undefined ? time : `${time}_${ledger}`
}

/** Parses a wall-clock time as if it were UTC. */
function parseWallClock(text: string): number | undefined {
  const [, day, hour = '00', minute = '00', second = '00', fraction = ''] = WRITTEN.exec(text) ?? []
  if (day === undefined || day < DAY_MIN || day > DAY_MAX) return undefined
  const written = `${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0')}Z`
  const wall = new Date(written)
  // `Date` reads a day or an hour that does not exist as another one, or not at all.
  const isReal = !Number.isNaN(wall.getTime()) && wall.toISOString() === written
  return isReal ? wall.getTime() : undefined
}

/** Returns how far the clocks of a time zone are ahead of UTC at an instant, both in milliseconds. */
export function offsetMs(instant: number, timezone: string): number {
  if (timezone === 'UTC') return 0
  const shown = clockOf(timezone).format(instant).match(/\d+/g) ?? []
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = shown.map(Number)
  const wall = Date.UTC(year, month - 1, day, hour, minute, second)
  return wall - Math.floor(instant / 1000) * 1000
}

/** Whether Node knows a time zone. */
export function isKnownZone(timeZone: string): boolean {
  const isKnown = knownZones.get(timeZone) ?? canFormat(timeZone)
  knownZones.set(timeZone, isKnown)
  return isKnown
}

// Creating a formatter for each of 600 zones would take 0.1 s at every start and reload.
const knownZones = new Map(Intl.supportedValuesOf('timeZone').map((name) => [name, true]))

function canFormat(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  clocks.set(timeZone, clock)
  return clock
}
