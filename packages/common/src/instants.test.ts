import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatCursor, formatInstant, parseCursor, parseInstant } from './instants.ts'

const MINUTE_MS = 60_000
const QUARTER_MS = 15 * MINUTE_MS
const DAY_MS = 86_400_000

/** Prints an instant on the clocks of a zone, to the second. The Swedish locale has our format. */
function print(instant: number, timeZone: string): string {
  const options = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', options)
  clocks.set(timeZone, clock)
  return clock.format(instant)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Days near a change of the clocks: forward, back, by half an hour, by a day, permanently. */
const CHANGES: readonly (readonly [zone: string, day: string])[] = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['Pacific/Apia', '2011-12-30'],
  ['Asia/Pyongyang', '2018-05-05'],
  ['Antarctica/Troll', '2026-03-29'],
  ['Asia/Kathmandu', '2026-01-01'],
]

describe.each(CHANGES)('on the clocks of %s near %s', (zone, day) => {
  const start = Date.parse(`${day}T00:00:00Z`) - 2 * DAY_MS
  const instants = Array.from({ length: 4 * 96 }, (_, index) => start + index * QUARTER_MS)
  /** Each text that the clocks show, with the first instant at which they show it. */
  const shown = new Map<string, number>()
  for (const instant of instants) {
    const text = print(instant, zone)
    shown.set(text, Math.min(instant, shown.get(text) ?? Infinity))
  }

  test('reads every time that they show as its first instant', () => {
    for (const [text, first] of shown) {
      // Near the start of the range, the first instant may lie before the range.
      if (first - start < DAY_MS) continue
      expect([text, parseInstant(text, zone)]).toEqual([text, first])
    }
  })

  test('reads every time that they skip with the offset before the change', () => {
    const walls = instants.slice(96, -96).map((instant) => print(instant, 'UTC'))
    const read = (text = '') => parseInstant(text, zone) ?? Number.NaN
    for (const [index, text] of walls.entries()) {
      if (shown.has(text)) continue
      const last = walls.slice(0, index).findLastIndex((before) => shown.has(before))
      expect([text, read(text)]).toEqual([text, read(walls[last]) + (index - last) * QUARTER_MS])
      expect(print(read(text), zone) > text).toBe(true)
    }
  })
})

test('parses what the clocks of any zone show at any instant', () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
  const from = Date.UTC(1901, 0, 1) / 1000
  const seconds = fc.integer({ min: from, max: Date.UTC(2298, 0, 1) / 1000 })
  fc.assert(
    fc.property(zones, seconds, (zone, second) => {
      const text = print(second * 1000, zone)
      const read = parseInstant(text, zone) ?? Number.NaN
      expect(print(read, zone)).toBe(text)
      expect(read).toBeLessThanOrEqual(second * 1000)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['2026-01-31', '2026-01-31 00:00:00.000'],
  ['2026-01-31 13:45', '2026-01-31 13:45:00.000'],
  ['2026-01-31 13:45:07.1', '2026-01-31 13:45:07.100'],
  ['1900-01-01', '1900-01-01 00:00:00.000'],
  ['2299-12-31 23:59:59.999', '2299-12-31 23:59:59.999'],
])('parses %s', (text, expected) => {
  expect(formatInstant(parseInstant(text, 'UTC') ?? Number.NaN)).toBe(expected)
})

test.each([
  '',
  '2026-01',
  '2026-02-30',
  '2026-00-10',
  '2026-13-01',
  '2026-01-01 24:00',
  '2026-01-01 23:59:60',
  '2026-01-01 10:00:00.1234',
  '2026-01-01T10:00:00Z',
  '2026-01-01T10:00:00+02:00',
  '2026-01-01\n',
  '01.02.2026',
  '1899-12-31',
  '2300-01-01',
  '٢٠٢٦-٠١-٠١',
])('parses no time from %j', (text) => {
  expect(parseInstant(text, 'UTC')).toBeUndefined()
})

test('a cursor is an instant in UTC, exactly as toISOString writes it, with the id of its ledger', () => {
  for (const time of ['2026-11-01T10:00:00.123Z', '1970-01-01T00:00:00.000Z']) {
    const instant = Date.parse(time)
    expect(parseCursor(time)).toEqual({ instant, ledger: undefined })
    const cursor = { instant, ledger: '1f0c2a9be4d7' }
    expect(formatCursor(cursor)).toBe(`${time}_1f0c2a9be4d7`)
    expect(parseCursor(formatCursor(cursor))).toEqual(cursor)
  }
  const others = [
    '',
    '2026-11-01',
    '2026-11-01T10:00:00Z',
    '2026-11-01T10:00:00.1234Z',
    '2026-11-01T10:00:00.123',
    '2026-11-01T10:00:00.123+00:00',
    '2026-11-01 10:00:00.123Z',
    '2026-02-30T10:00:00.000Z',
    '2026-11-01T24:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '2300-01-01T00:00:00.000Z',
    '+010000-01-01T00:00:00.000Z',
    ' 2026-11-01T10:00:00.123Z',
    '1793527200123',
    '2026-11-01T10:00:00.123Z_',
    '2026-11-01T10:00:00.123Z_1F0C2A9BE4D7',
    '2026-11-01T10:00:00.123Z_1f0c2a9be4d7_1f0c2a9be4d7',
  ]
  expect(others.filter((text) => parseCursor(text) !== undefined)).toEqual([])
})
