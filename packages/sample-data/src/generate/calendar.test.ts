import { expect, test } from 'vitest'
import { DAYS, makeCalendar, splitDays } from './calendar.ts'
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
