import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

/** Simulates 10 s of work with 1,000 units and an update every 50 ms. Returns what was written. */
function watch(isTTY: boolean, columns?: number): string[] {
  const texts: string[] = []
  let nowMs = 5_000
  const output = { isTTY, ...(columns && { columns }), write: (text: string) => texts.push(text) }
  const work = { title: 'Loading', total: 1_000, unit: 'rows' }
  const progress = createProgress(output, work, () => nowMs)
  for (let done = 5; done <= 1_000; done += 5) {
    nowMs += 50
    progress.update(done)
  }
  progress.end()
  return texts
}

test('redraws one line with rate and time left on a terminal, and never a longer one', () => {
  const texts = watch(true)
  expect(texts.length).toBeGreaterThan(90)
  expect(texts.length).toBeLessThan(110)
  expect(texts).toContain('\r\u001b[KLoading: 500 of 1,000 rows, 100/s, 5 s left')
  expect(texts.at(-2)).toBe('\r\u001b[KLoading: 1,000 of 1,000 rows, 100/s, 10.0 s')
  expect(texts.filter((text) => text.includes('\n'))).toEqual(['\n'])
  expect(watch(true, 20)).toContain('\r\u001b[KLoading: 500 of 1,0')
})

test('writes a plain line every 2 seconds elsewhere, and one at the end', () => {
  expect(watch(false)).toEqual([
    'Loading: 200 of 1,000 rows, 100/s, 8 s left\n',
    'Loading: 400 of 1,000 rows, 100/s, 6 s left\n',
    'Loading: 600 of 1,000 rows, 100/s, 4 s left\n',
    'Loading: 800 of 1,000 rows, 100/s, 2 s left\n',
    'Loading: 1,000 of 1,000 rows, 100/s, 0 s left\n',
    'Loading: 1,000 of 1,000 rows, 100/s, 10.0 s\n',
  ])
})

test('takes a new total during the work', () => {
  const texts: string[] = []
  let nowMs = 0
  const output = { write: (text: string) => texts.push(text) }
  const work = { title: 'Loading', total: 100, unit: 'rows' }
  const progress = createProgress(output, work, () => nowMs)
  nowMs = 2_000
  progress.update(100, 300)
  progress.end()
  expect(texts).toEqual([
    'Loading: 100 of 300 rows, 50/s, 4 s left\n',
    'Loading: 100 of 300 rows, 50/s, 2.0 s\n',
  ])
})
