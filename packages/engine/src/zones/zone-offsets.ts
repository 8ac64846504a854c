import { setImmediate } from 'node:timers/promises'
import { offsetMs } from '@counterfoil/common'

/** From the instant `from` on (milliseconds since 1970), clocks are `seconds` ahead of UTC. */
export interface Offset {
  readonly from: number
  readonly seconds: number
}

// The engine's times go from 1900 to 2299.
const FIRST = Date.UTC(1900, 0, 1)
const END = Date.UTC(2300, 0, 1)

// No zone has changed its clocks twice within seven days.
const STEP_MS = 5 * 86_400_000

// Reading a zone takes up to 100 ms. The pauses let other requests run.
const STEPS_AT_ONCE = 500

/** Finds the instants at which the clocks of a zone change. The first offset is the one of 1900. */
export async function readOffsets(timezone: string): Promise<readonly Offset[]> {
  const offsetAt = (from: number): Offset => ({ from, seconds: offsetMs(from, timezone) / 1000 })
  // `1, GMT+02:00` is the fastest of all formats of Intl that show the offset.
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    day: 'numeric',
    timeZoneName: 'longOffset',
  })
  const labelAt = (instant: number): string => clock.format(instant).replace(/^\d+/, '')
  const offsets = [offsetAt(FIRST)]
  let label = labelAt(FIRST)
  for (let steps = 1, at = FIRST; at < END; steps += 1) {
    const next = Math.min(at + STEP_MS, END)
    if (labelAt(next) === label) {
      at = next
    } else {
      at = firstSecond(at, next, (instant) => labelAt(instant) !== label)
      label = labelAt(at)
      offsets.push(offsetAt(at))
    }
    if (steps % STEPS_AT_ONCE === 0) await setImmediate()
  }
  return offsets
}

/** Finds the first second after `before` at which `holds` is true. It must be true at `end`. */
function firstSecond(before: number, end: number, holds: (instant: number) => boolean): number {
  if (end - before <= 1000) return end
  const middle = Math.floor((before + end) / 2000) * 1000
  return holds(middle) ? firstSecond(before, middle, holds) : firstSecond(middle, end, holds)
}
