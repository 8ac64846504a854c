import { expect, test } from 'vitest'
import { describeReceived } from '../commands/report.ts'
import { createProgressLine } from './progress-line.ts'
import { jsonLine } from './text.ts'

test('escapes what can control a terminal, and keeps the value', () => {
  const value = {
    text: 'a\u0000\n\t\u001b[2J\u009b2J\u0090x\u009c\u202e\u2066\u200b\u{e0041}\ud800 é 漢 \u{1f4c4}',
  }
  const line = jsonLine(value)
  expect(JSON.parse(line)).toEqual(value)
  expect(line).toBe(
    String.raw`{"text":"a\u0000\n\t\u001b[2J\u009b2J\u0090x\u009c\u202e\u2066\u200b\udb40\udc41\ud800 é 漢 📄"}` +
      '\n',
  )
})

test.each([
  ['text/csv; charset=UTF-8', 'trailers', 0, 'digest and row count agree.', ''],
  ['application/pdf', 'trailers', 0, 'the digest agrees.', ''],
  ['application/x-ndjson', 'manifest', 0, 'the digest agrees with the manifest.', ''],
  ['text/csv', 'rows', 1, 'the row count agrees with the manifest.', 'lacks 1 character of'],
] as const)(
  '%s: describes a report with the proof %s',
  (contentType, proof, replaced, agreed, end) => {
    const received = { file: 'a', rows: 1, bytes: 1, replaced, sha256: '00', seconds: 1 }
    const head = { runId: undefined, newestRow: undefined }
    const text = describeReceived({ ...received, ...head, contentType, proof })
    expect(text).toContain(`Saved a: 1 row, 1 byte in 1.00 s; ${agreed}\nsha256 00\n`)
    expect(text).toContain(end)
  },
)

test('rewrites one line of a terminal five times a second, and clears it', () => {
  const printed: string[] = []
  const write = (text: unknown) => printed.push(String(text)) > 0
  for (const isTTY of [true, false]) {
    let nowMs = 0
    const line = createProgressLine({ isTTY, write }, () => nowMs)
    for (nowMs = 100; nowMs <= 400; nowMs += 100) line.update(nowMs * 1_000, nowMs * 10)
    line.clear()
  }
  const clear = '\r\u{1B}[K'
  expect(printed).toEqual([
    `${clear}2,000 rows, 200 kB, 1 MB/s`,
    `${clear}4,000 rows, 400 kB, 1 MB/s`,
    clear,
  ])
})
