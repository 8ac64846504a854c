import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import * as z from 'zod'
import { GatewayError, offsetMs } from '@counterfoil/common'
import { type Engine, readRows } from '../engine/engine.ts'

/** Returns a function that does its work once for each time zone but UTC. A failed work is tried again. */
function oncePerZone(
  work: (timezone: string) => Promise<string>,
): (timezone: string) => Promise<string> {
  const done = new Map<string, Promise<string>>()
  return async (timezone) => {
    if (timezone === 'UTC') return timezone
    const result = done.get(timezone) ?? work(timezone)
    done.set(timezone, result)
    result.catch(() => done.delete(timezone))
    return await result
  }
}

/**
 * Creates a function that gives the engine Node's rules of a time zone. The engine's own time-zone database is of
 * another year; a file with Node's rules replaces it.
 *
 * @param folder where the files are written, once for each zone and process
 * @returns a function from a zone's IANA name to its name in SQL
 */
export function createZoneFiles(folder: string): (timezone: string) => Promise<string> {
  return oncePerZone(async (timezone) => {
    const file = resolve(folder, timezone)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, encodeZone(await readOffsets(timezone)))
    return `file:${file}`
  })
}

const ABBREVIATION = 'LCL\0'

/** Encodes offsets as a TZif file, version 2 (RFC 9636). */
function encodeZone([first, ...changes]: readonly Offset[]): Uint8Array {
  const types = [...new Set([first, ...changes].map((offset) => offset?.seconds ?? 0))]
  const times = Buffer.alloc(changes.length * 8)
  for (const [index, { from }] of changes.entries()) {
    times.writeBigInt64BE(BigInt(from / 1000), index * 8)
  }
  return Buffer.concat([
    // The version 1 block, which readers of version 2 skip: one type and no changes.
    encodeHeader(0, 1),
    encodeTypes(types.slice(0, 1)),
    Buffer.from(ABBREVIATION),
    encodeHeader(changes.length, types.length),
    times,
    Buffer.from(changes.map(({ seconds }) => types.indexOf(seconds))),
    encodeTypes(types),
    Buffer.from(ABBREVIATION),
    // No rule for later times.
    Buffer.from('\n\n'),
  ])
}

function encodeHeader(changeCount: number, typeCount: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('TZif2')
  for (const [index, count] of [changeCount, typeCount, ABBREVIATION.length].entries()) {
    header.writeUInt32BE(count, 32 + index * 4)
  }
  return header
}

function encodeTypes(types: readonly number[]): Buffer {
  const bytes = Buffer.alloc(types.length * 6)
  for (const [index, seconds] of types.entries()) bytes.writeInt32BE(seconds, index * 6)
  return bytes
}

// The server stores offsets for every quarter of an hour.
const STEP_SECONDS = 900
// In some zones, clocks changed within a quarter of an hour until 2011, and the server cannot store such a change.
const CHECKED_FROM = Date.UTC(2012, 0, 1) / 1000
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
  return oncePerZone(async (timezone) => {
    const steps = Math.floor((now() / 1000 + AHEAD_SECONDS - CHECKED_FROM) / STEP_SECONDS)
    const parameters = { from: CHECKED_FROM, zone: timezone, steps }
    const query = { sql: CHANGES, parameters }
    const changes = await readRows(engine, changeRow, query).catch((error: unknown) => {
      if (error instanceof GatewayError && isUnknownZone(error.cause)) return []
      throw error
    })
    const expected = await readChanges(timezone, CHECKED_FROM + (steps - 1) * STEP_SECONDS)
    if (JSON.stringify(changes) === JSON.stringify(expected)) return timezone
    const message = `The gateway and its server have different rules for the time zone ${timezone}.`
    throw new GatewayError('invalid-parameter', `${message} Ask for another time zone.`)
  })
}

/** Whether the server does not know a time zone. */
function isUnknownZone(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Cannot load time zone')
}

/** Reads Node's changes from `CHECKED_FROM` to `last`, as the server stores them. */
async function readChanges(timezone: string, last: number): Promise<readonly Change[]> {
  const offsets = await readOffsets(timezone)
  const changes = offsets.map(({ from, seconds }) => {
    return { at: Math.ceil(from / 1000 / STEP_SECONDS) * STEP_SECONDS, seconds }
  })
  const first = changes.findLast(({ at }) => at <= CHECKED_FROM)
  const later = changes.filter(({ at }) => at > CHECKED_FROM && at <= last)
  return [...(first ? [{ ...first, at: CHECKED_FROM }] : []), ...later]
}

/** From the instant `from` on (milliseconds since 1970), clocks are `seconds` ahead of UTC. */
interface Offset {
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
async function readOffsets(timezone: string): Promise<readonly Offset[]> {
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
