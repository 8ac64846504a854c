import { offsetMs } from './zone-clock.ts'

/** The pattern of a day or a wall-clock time. */
const WRITTEN = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?)?$/

// The engine's DateTime64(3) goes from 1900 to 2299.
const YEAR_MIN = 1900
const YEAR_MAX = 2299
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
  const instant = /^\d{4}-/.test(time) ? Date.parse(time) : Number.NaN
  if (!(instant >= 0) || new Date(instant).getUTCFullYear() > YEAR_MAX) return undefined
  if (new Date(instant).toISOString() !== time || more !== undefined) return undefined
  return ledger === undefined || /^[\da-f]{12}$/.test(ledger) ? { instant, ledger } : undefined
}

/** Writes a cursor as {@link parseCursor} reads it. */
export function formatCursor({ instant, ledger }: Cursor): string {
  const time = new Date(instant).toISOString()
  return ledger === undefined ? time : `${time}_${ledger}`
}

/** Parses a wall-clock time as if it were UTC. */
function parseWallClock(text: string): number | undefined {
  const parts = WRITTEN.exec(text)
  if (!parts) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const millisecond = Number((parts[7] ?? '').padEnd(3, '0'))
  if (year < YEAR_MIN || year > YEAR_MAX) return undefined
  const wall = Date.UTC(year, month - 1, day, hour, minute, second, millisecond)
  // `Date.UTC` turns a day or an hour that does not exist into another one.
  const date = new Date(wall)
  const same =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  return same ? wall : undefined
}
