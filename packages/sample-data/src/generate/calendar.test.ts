import { expect, test } from 'vitest'
import { blocksOf, CLOCK_CHANGE_DAYS, dayOf, DAYS, makeCalendar, splitDays } from './calendar.ts'
import { BLOCK_ROOTS, BLOCK_ROWS } from './slots.ts'

const ROWS = [1000, 1001, 1914, 1915, 12_345, 1_000_000, 50_000_000, 1_000_000_000]

test.each(ROWS)('with %d rows, every root has its day, and the guide finds it', (rows) => {
  const { starts, guide, guideStep } = makeCalendar(rows)
  const roots = starts.at(-1) ?? 0
  const blocks = Math.floor(rows / BLOCK_ROWS)
  expect(roots).toBe(blocks * BLOCK_ROOTS + Math.min(rows - blocks * BLOCK_ROWS, BLOCK_ROOTS))
  expect(starts).toHaveLength(DAYS + 1)
  expect(starts).toEqual(starts.toSorted((a, b) => a - b))
  const tried = Array.from({ length: 5000 }, (_, index) => Math.floor((index * roots) / 5000))
  for (const root of [...tried, ...starts.slice(0, -1)].filter((one) => one < roots)) {
    const near = guide[Math.floor(root / guideStep)] ?? Number.NaN
    const day = near + (root >= (starts[near + 1] ?? 0) ? 1 : 0)
    expect(root >= (starts[day] ?? 0) && root < (starts[day + 1] ?? 0)).toBe(true)
  }
})

test('the smallest ledger has transactions on all special days', () => {
  const { starts } = makeCalendar(1000)
  const ends = ['2024-01-31', '2024-02-29', '2025-02-28', '2026-10-31'].map(dayOf)
  for (const day of [...ends, ...CLOCK_CHANGE_DAYS.map((change) => change.day)]) {
    expect((starts[day + 1] ?? 0) - (starts[day] ?? 0)).toBeGreaterThanOrEqual(4)
  }
})

test.each(ROWS)('splits the days of %d rows without a gap, and splits few months', (rows) => {
  const calendar = makeCalendar(rows)
  const ranges = splitDays(calendar, 400_000)
  expect(ranges[0]?.[0]).toBe(0)
  expect(ranges.at(-1)?.[1]).toBe(DAYS)
  for (const [index, [from, to]] of ranges.entries()) {
    expect(to).toBeGreaterThan(from)
    expect(ranges[index + 1]?.[0] ?? to).toBe(to)
    const roots = (calendar.starts[to] ?? 0) - (calendar.starts[from] ?? 0)
    expect(to - from === 1 || roots < 500_000).toBe(true)
  }
})

test('the blocks of some days include what follows from earlier days', () => {
  const calendar = makeCalendar(1_000_000)
  const all = blocksOf(calendar, [0, DAYS], 120)
  expect(all).toEqual({ first: 0, count: 1_000_000 })
  const { first, count } = blocksOf(calendar, [500, 531], 120)
  const root = (first / BLOCK_ROWS) * BLOCK_ROOTS
  expect(root).toBeLessThanOrEqual(calendar.starts[380] ?? 0)
  expect(((first + count) / BLOCK_ROWS) * BLOCK_ROOTS).toBeGreaterThanOrEqual(
    calendar.starts[531] ?? 0,
  )
})
