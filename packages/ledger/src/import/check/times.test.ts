// @module-tag long

import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import {
  openScratchLedger,
  type ScratchLedger,
} from '../../../../gateway/test/kit/scratch-ledger.ts'
import { readRows } from '../../../../engine/src/engine/engine.ts'
import { DAY_FORMATS } from '../source/source.ts'
import { defineDay, defineTime } from './times.ts'
import { selectLayers } from './check-columns.ts'

let ledger: ScratchLedger
const reading = (timezone: string) => {
  return { timezone, days: 'YYYY-MM-DD' as const, hasZones: false, notCardNumbers: [] }
}
beforeAll(async () => {
  ledger = await openScratchLedger()
})
afterAll(() => ledger.close())

/** Applies definitions to texts and returns `value`, an expression over `value_x`. */
async function read(texts: readonly string[], steps: readonly string[], value: string) {
  const from =
    '(SELECT toNullable(text) AS text_x, at FROM (SELECT {texts:Array(String)} AS texts) ARRAY JOIN texts AS text, arrayEnumerate(texts) AS at)'
  const sql = `SELECT ${value} AS value FROM (${selectLayers(
    from,
    steps.map((step) => [step]),
  )}) ORDER BY at`
  const row = z.object({ value: z.string().nullable() })
  const rows = await readRows(ledger.engine, row, { sql, parameters: { texts } })
  return rows.map((shown) => shown.value)
}

const HALF_HOURS = [
  '2011-12-29',
  '2026-03-08',
  '2026-03-29',
  '2026-04-05',
  '2026-10-04',
  '2026-10-25',
  '2026-11-01',
].flatMap((day) => {
  return Array.from({ length: 96 }, (_, at) => {
    const time = new Date(Date.parse(`${day}T00:00:00Z`) + at * 1_800_000)
    return time.toISOString().slice(0, 19).replace('T', ' ')
  })
})

test.each([
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Antarctica/Troll',
  // The engine's own database is older than the latest rules of these zones.
  'Africa/Casablanca',
  'America/Vancouver',
])('in %s, reads exactly the times that local clocks show once', async (timezone) => {
  const expected = HALF_HOURS.map((time) => instantOf(time, timezone))
  expect(expected.includes(null)).toBe(!['UTC', 'Africa/Casablanca'].includes(timezone))
  const milliseconds = 'toString(toUnixTimestamp64Milli(value_x))'
  const steps = defineTime('x', reading(await ledger.engine.loadTimeZone(timezone)))
  expect(await read(HALF_HOURS, steps, milliseconds)).toEqual(expected)
})

/**
 * Finds the instant of a local time by trying every possible quarter of an hour. Returns `null` unless there is exactly
 * one.
 */
function instantOf(time: string, timeZone: string): string | null {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  const wall = Date.parse(`${time.replace(' ', 'T')}Z`)
  const quarters = Array.from({ length: 113 }, (_, at) => wall + (at - 56) * 900_000)
  const shown = quarters.filter((instant) => clock.format(instant) === time)
  return shown.length === 1 ? String(shown[0]) : null
}

test('a time may name its offset, and may omit parts that are zero', async () => {
  const texts = [
    ['2026-10-25 02:30:00+02:00', '2026-10-25 00:30:00.000'],
    ['2026-10-25T02:30:00.5+0100', '2026-10-25 01:30:00.500'],
    ['2026-10-25 02:30-03', '2026-10-25 05:30:00.000'],
    ['2026-10-25T02:30:59.999Z', '2026-10-25 02:30:59.999'],
    ['2026-10-25 12:30:00.120000', '2026-10-25 11:30:00.120'],
    ['2026-10-25 12:30:00.1209999', '2026-10-25 11:30:00.120'],
    ['1900-01-02 12:00:00Z', '1900-01-02 12:00:00.000'],
    ['2299-12-30 12:00:00Z', '2299-12-30 12:00:00.000'],
    ['2026-10-25 02:30:00 Z', null],
    ['2026-10-25 02:30:00+15:00', null],
    ['2026-10-25 12:30:00.', null],
    ['2026-10-25 2:30:00', null],
    ['1900-01-01 12:00:00Z', null],
    ['2299-12-31 12:00:00Z', null],
  ] as const
  const steps = defineTime('x', reading('Europe/Berlin'))
  const read2 = await read(
    texts.map(([text]) => text),
    steps,
    'toString(value_x)',
  )
  expect(read2).toEqual(texts.map(([, value]) => value))
})

test('reads a day in the configured format or as YYYY-MM-DD, and only if that day exists', async () => {
  const written = {
    'YYYY-MM-DD': '2024-02-29',
    'DD.MM.YYYY': '29.02.2024',
    'DD/MM/YYYY': '29/02/2024',
    'DD-MM-YYYY': '29-02-2024',
    'MM/DD/YYYY': '02/29/2024',
  }
  const none = [
    '2023-02-29',
    '31.04.2024',
    '31/04/2024',
    '13/31/2024',
    '2024-2-9',
    '',
    '2024-02-29x',
    '1899-12-31',
    '2300-01-01',
  ]
  for (const format of DAY_FORMATS) {
    const day = (text: string) =>
      text === written[format] || text === '2024-02-29' ? '2024-02-29' : null
    const texts = [...Object.values(written), ...none]
    expect(await read(texts, defineDay('x', format), 'toString(value_x)')).toEqual(texts.map(day))
    const times = await read(
      texts.map((text) => `${text} 10:00Z`),
      defineTime('x', { ...reading('UTC'), days: format }),
      'toString(value_x)',
    )
    expect(times).toEqual(texts.map((text) => day(text) && '2024-02-29 10:00:00.000'))
  }
})
