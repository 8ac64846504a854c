import * as z from 'zod'
import { GatewayError } from '@counterfoil/common'
import { type Engine, readRows } from '../engine/engine.ts'
import { readOffsets } from './zone-offsets.ts'

// The server stores offsets for every quarter of an hour.
const STEP_SECONDS = 900
// In some zones, clocks changed within a quarter of an hour until 2011, and the server cannot store such a change.
const FIRST = Date.UTC(2012, 0, 1) / 1000
const AHEAD_SECONDS = 2 * 366 * 86_400

/** From the second `at` on, clocks are `seconds` ahead of UTC. */
const changeRow = z.object({ at: z.int(), seconds: z.int() })

type Change = z.output<typeof changeRow>

const CHANGES = `
SELECT at, seconds
FROM (
  SELECT
    toUInt32({from:UInt32} + number * ${STEP_SECONDS}) AS at,
    timeZoneOffset(toDateTime(at, {zone:String})) AS seconds,
    lagInFrame(seconds, 1, -1) OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
  FROM numbers({steps:UInt32})
)
WHERE seconds != before
ORDER BY at`

/**
 * Creates the `loadTimeZone` of an engine that cannot load rules: it refuses a zone if the server's rules differ from
 * Node's at any time from 2012 to two years from now.
 */
export function createZoneCheck(
  engine: Pick<Engine, 'stream'>,
  now: () => number,
): Engine['loadTimeZone'] {
  const checks = new Map<string, Promise<void>>()
  const check = async (timezone: string): Promise<void> => {
    const steps = Math.floor((now() / 1000 + AHEAD_SECONDS - FIRST) / STEP_SECONDS)
    const parameters = { from: FIRST, zone: timezone, steps }
    const query = { sql: CHANGES, parameters }
    const changes = await readRows(engine, changeRow, query).catch((error: unknown) => {
      if (error instanceof GatewayError && isUnknownZone(error.cause)) return []
      throw error
    })
    const expected = await readChanges(timezone, FIRST + (steps - 1) * STEP_SECONDS)
    if (JSON.stringify(changes) === JSON.stringify(expected)) return
    const message = `The gateway and its server have different rules for the time zone ${timezone}.`
    throw new GatewayError('invalid-parameter', `${message} Ask for another time zone.`)
  }
  return async (timezone) => {
    if (timezone !== 'UTC') {
      const checked = checks.get(timezone) ?? check(timezone)
      checks.set(timezone, checked)
      // A failed look-up is retried by the next request.
      checked.catch(() => checks.delete(timezone))
      await checked
    }
    return timezone
  }
}

/** Whether the server does not know a time zone. */
function isUnknownZone(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Cannot load time zone')
}

/** Reads Node's changes from `FIRST` to `last`, as the server stores them. */
async function readChanges(timezone: string, last: number): Promise<readonly Change[]> {
  const offsets = await readOffsets(timezone)
  const changes = offsets.map(({ from, seconds }) => {
    return { at: Math.ceil(from / 1000 / STEP_SECONDS) * STEP_SECONDS, seconds }
  })
  const first = changes.findLast(({ at }) => at <= FIRST)
  const later = changes.filter(({ at }) => at > FIRST && at <= last)
  return [...(first ? [{ ...first, at: FIRST }] : []), ...later]
}
