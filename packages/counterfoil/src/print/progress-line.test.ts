import { expect, test } from 'vitest'
import { createProgressLine } from './progress-line.ts'

test('rewrites one line five times a second, and clears it', () => {
  const { printed, terminal } = recorder(true)
  let nowMs = 0
  const line = createProgressLine(terminal, () => nowMs)
  for (nowMs = 100; nowMs <= 500; nowMs += 100) line.update(nowMs * 1_000)
  line.clear()
  expect(printed).toEqual(['\r\u{1B}[K200 kB, 1 MB/s', '\r\u{1B}[K400 kB, 1 MB/s', '\r\u{1B}[K'])
})

test('shows the rows if they are counted', () => {
  const { printed, terminal } = recorder(true)
  let nowMs = 0
  const line = createProgressLine(terminal, () => nowMs)
  nowMs = 1_000
  line.update(2_000_000, 12_345)
  expect(printed).toEqual(['\r\u{1B}[K12,345 rows, 2 MB, 2 MB/s'])
})

test('prints nothing off a terminal', () => {
  const { printed, terminal } = recorder(false)
  const line = createProgressLine(terminal, () => 0)
  line.update(1_000)
  line.clear()
  expect(printed).toEqual([])
})

function recorder(isTTY: boolean) {
  const printed: string[] = []
  const write = (text: unknown) => printed.push(String(text)) > 0
  return { printed, terminal: { isTTY, write } }
}
