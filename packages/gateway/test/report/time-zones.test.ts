// @module-tag long

import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { askReport } from '../oracles/reports-kit.ts'

/** Local days near a change of clocks, an end of a month or a leap day. `Temporal` computes the expected times. */
const DAYS: readonly (readonly [zone: string, day: string])[] = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Pacific/Apia', '2011-12-31'],
  ['Asia/Kolkata', '2024-02-29'],
  ['Pacific/Kiritimati', '2025-12-31'],
  ['UTC', '2024-12-31'],
]
/** Zones with a rule that the engine's own database lacks, and some zones in which both databases agree. */
const ZONES = [
  'Africa/Casablanca',
  'America/Vancouver',
  'Europe/Chisinau',
  'America/Argentina/Buenos_Aires',
  'Asia/Kathmandu',
  'Pacific/Apia',
]
const HALF_AN_HOUR_MS = 1_800_000

/** Returns an instant for each transaction: every half hour of three days around a day, and a millisecond before. */
function instantsAround([zone, day]: readonly [string, string]): readonly number[] {
  const start = Temporal.PlainDate.from(day).subtract({ days: 1 }).toZonedDateTime(zone)
  const first = start.epochMilliseconds
  const every = Array.from({ length: 3 * 48 }, (_, index) => first + index * HALF_AN_HOUR_MS)
  return every.flatMap((instant) => [instant - 1, instant])
}

const { sandbox, gateway } = await serveSandbox([
  0,
  ['daily-totals.yaml', 'transactions-list.yaml'],
])
const { operator } = sandbox.logins
const instants = [...new Set(DAYS.flatMap(instantsAround))].toSorted((one, other) => one - other)
const own = instants.map((instant) => ({
  id: BigInt(instant),
  createdAt: new Date(instant).toISOString().replace('T', ' ').replace('Z', ''),
}))
await insertRows(gateway.engine, own)

interface Printed {
  readonly instant: number
  readonly created: string
}

async function askFor(timezone: string, dateFrom: string, dateTo: string) {
  const wanted = {
    inputs: { dateFrom, dateTo, timezone },
    columns: ['Transaction_id', 'Created_date'],
  }
  const { rows } = await askReport({ gateway }, operator, 'transactions-list', wanted)
  return rows.map((row): Printed => {
    return { instant: Number(row['Transaction_id']), created: row['Created_date'] ?? '' }
  })
}

/** Computes the rows of a report between two wall-clock times. */
function expected(zone: string, from: string, to: string): readonly Printed[] {
  // `compatible` is the gateway's rule: the offset before the change for a skipped time, the first of two equal times.
  const read = (text: string): number => {
    return Temporal.PlainDateTime.from(text).toZonedDateTime(zone, { disambiguation: 'compatible' })
      .epochMilliseconds
  }
  const [first, end] = [read(from), read(to)]
  return instants
    .filter((instant) => instant >= first && instant < end)
    .map((instant) => {
      const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone)
      const plain = local.toPlainDateTime().round({ smallestUnit: 'second', roundingMode: 'floor' })
      return { instant, created: plain.toString({ smallestUnit: 'second' }).replace('T', ' ') }
    })
}

describe.each(ZONES)('uses one time zone database for bounds, hours and days in %s', (zone) => {
  test.each(['2026-03', '2026-10', '2026-11'])('in %s', async (month) => {
    const first = Temporal.PlainDate.from(`${month}-01`)
    const [from, to] = [first.toString(), first.add({ months: 1 }).toString()]
    const printed = await askFor(zone, from, to)
    expect(printed).toEqual(expected(zone, from, to))
    const wanted = {
      inputs: { dateFrom: from, dateTo: to, timezone: zone },
      columns: ['Day', 'Count'],
    }
    const totals = await askReport({ gateway }, operator, 'daily-totals', wanted)
    const days = Map.groupBy(printed, ({ created }) => {
      return created.slice(0, 10).split('-').toReversed().join('.')
    })
    expect(totals.rows).toEqual(
      Array.from(days, ([Day, { length }]) => ({ Day, Count: String(length) })),
    )
  })
})

test('prints the same times in the engine as in Node, from 1950 to 2299', async () => {
  // Before 1950, offsets had odd seconds, and the engine rounds near changes of these offsets.
  const [start, end] = [Date.UTC(1950, 0, 1), Date.UTC(2299, 11, 30)]
  for (const zone of ['Africa/Casablanca', 'America/Vancouver', 'Europe/Berlin', 'Pacific/Apia']) {
    const points = Array.from({ length: 5000 }, (_, index) => {
      return start + Math.floor(((end - start) / 5_000_000) * index) * 1000
    })
    const sql = `SELECT toString(fromUnixTimestamp64Milli(at, 'UTC'), {timezone:String}) AS shown
      FROM (SELECT arrayJoin({points:Array(Int64)}) AS at)`
    const timezone = await gateway.engine.loadTimeZone(zone)
    const query = { sql, parameters: { points, timezone } }
    const rows = await readRows(gateway.engine, z.object({ shown: z.string() }), query)
    const clock = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    })
    expect(rows.map(({ shown }) => shown.slice(0, 19))).toEqual(
      points.map((at) => clock.format(at)),
    )
  }
})

describe.each(DAYS)('in %s', (zone, day) => {
  const after = Temporal.PlainDate.from(day).add({ days: 1 }).toString()

  test(`the day ${day} has all its hours`, async () => {
    const printed = await askFor(zone, day, after)
    expect(printed.length).toBeGreaterThan(90)
    expect(printed).toEqual(expected(zone, day, after))
  })

  test(`every hour of ${day} has its rows, also if it occurs twice`, async () => {
    const halfPast = Array.from({ length: 25 }, (_, hour) => {
      return `${hour < 24 ? day : after} ${String(hour % 24).padStart(2, '0')}:30:00`
    })
    const hours = halfPast.slice(1).map((to, hour) => [halfPast[hour] ?? '', to] as const)
    // A period may not be an hour that clocks skip.
    const there = hours.filter(([from, to]) => expected(zone, from, to).length > 0)
    expect(there.length).toBeGreaterThan(20)
    for (const [from, to] of there)
      expect(await askFor(zone, from, to)).toEqual(expected(zone, from, to))
  })
})
