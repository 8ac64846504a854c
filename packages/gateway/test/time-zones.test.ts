import { Temporal } from 'temporal-polyfill'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, parameters } from './ask.ts'
import { insertRows } from './ledger-rows.ts'
import { type RunningGateway, serve } from './running-gateway.ts'
import { makeSandbox, type Sandbox } from './sandbox.ts'

/** Local days on which clocks change, months end, or leap days are; `Temporal` says what they are. */
const DAYS: readonly (readonly [zone: string, day: string])[] = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Pacific/Apia', '2011-12-31'],
  ['Asia/Kolkata', '2024-02-29'],
  ['America/Los_Angeles', '2024-02-29'],
  ['Pacific/Kiritimati', '2025-12-31'],
  ['Asia/Tokyo', '2026-02-28'],
  ['UTC', '2024-12-31'],
]
const HALF_AN_HOUR_MS = 1_800_000

/** Of every moment of three days around each of these days, a transaction; its id is its instant. */
function instantsAround([zone, day]: readonly [string, string]): readonly number[] {
  const start = Temporal.PlainDate.from(day).subtract({ days: 1 }).toZonedDateTime(zone)
  const first = start.epochMilliseconds
  const every = Array.from({ length: 3 * 48 }, (_, index) => first + index * HALF_AN_HOUR_MS)
  return every.flatMap((instant) => [instant - 1, instant])
}

let sandbox: Sandbox
let gateway: RunningGateway
let instants: readonly number[]
beforeAll(async () => {
  sandbox = await makeSandbox(0)
  gateway = await serve(sandbox)
  instants = [...new Set(DAYS.flatMap(instantsAround))].toSorted((one, other) => one - other)
  const rows = instants.map((instant) => ({
    id: BigInt(instant),
    createdAt: new Date(instant).toISOString().replace('T', ' ').replace('Z', ''),
  }))
  await insertRows(gateway.engine, rows)
})
afterAll(async () => {
  await gateway.close()
  sandbox.remove()
})

interface Printed {
  readonly instant: number
  readonly created: string
}

async function askFor(zone: string, from: string, to: string): Promise<readonly Printed[]> {
  const inputs = parameters({ dateFrom: from, dateTo: to, timezone: zone })
  const answer = await ask(gateway, sandbox.logins.operator, {
    reportIdentifier: 'transactions-list',
    outputReportParameters: ['Transaction_id', 'Created_date'],
    ...inputs,
  })
  expect(answer.status).toBe(200)
  const lines = answer.text.split('\r\n').slice(1, -1)
  return lines.map((line) => {
    const [instant = '', created = ''] = line.slice(1, -1).split('","')
    return { instant: Number(instant), created }
  })
}

/** What the report should hold between two readings of the clocks. */
function expected(zone: string, from: string, to: string): readonly Printed[] {
  // The rule of `compatible` is ours: a skipped time as the clocks stood before, of two the first.
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

describe.each(DAYS)('in %s', (zone, day) => {
  const [date, after] = [
    Temporal.PlainDate.from(day),
    Temporal.PlainDate.from(day).add({ days: 1 }),
  ]

  test(`the day ${day} holds its hours, however many they are`, async () => {
    const found = await askFor(zone, date.toString(), after.toString())
    expect(found.length).toBeGreaterThan(90)
    expect(found).toEqual(expected(zone, date.toString(), after.toString()))
  })

  test(`every hour of ${day} is one, twice or none, as the clocks have it`, async () => {
    const halfPast = Array.from({ length: 25 }, (_, hour) => {
      return `${hour < 24 ? day : after.toString()} ${String(hour % 24).padStart(2, '0')}:30:00`
    })
    const hours = halfPast.slice(1).map((to, hour) => [halfPast[hour] ?? '', to] as const)
    // An hour that clocks skip is no period.
    const there = hours.filter(([from, to]) => expected(zone, from, to).length > 0)
    expect(there.length).toBeGreaterThan(20)
    for (const [from, to] of there)
      expect(await askFor(zone, from, to)).toEqual(expected(zone, from, to))
  })

  test(`the month of ${day} holds its days`, async () => {
    const first = date.with({ day: 1 })
    const next = first.add({ months: 1 })
    const found = await askFor(zone, first.toString(), next.toString())
    expect(found).toEqual(expected(zone, first.toString(), next.toString()))
    const days = new Set(found.map(({ created }) => created.slice(0, 7)))
    expect([...days]).toEqual([day.slice(0, 7)])
  })
})
