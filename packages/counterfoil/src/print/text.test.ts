import { expect, test } from 'vitest'
import { escapeControls, jsonLine, table } from './text.ts'

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

test('keeps the lines of a text', () => {
  expect(escapeControls('{\n\t"a": "\u0085"\n}')).toBe('{\n\t"a": "\\u0085"\n}')
})

test('aligns columns, and wraps the last one', () => {
  const rows = [
    ['Amount', 'money', 'the amount of the transaction in its own currency'],
    ['Id', 'id', ''],
  ]
  expect(table(rows, { indent: 2, width: 42 })).toBe(
    [
      '  Amount  money  the amount of the',
      '                 transaction in its own',
      '                 currency',
      '  Id      id',
      '',
    ].join('\n'),
  )
})

test('keeps a long word whole, and prints nothing for no rows', () => {
  expect(table([['a', 'x'.repeat(90)]])).toBe(`a  ${'x'.repeat(90)}\n`)
  expect(table([])).toBe('')
})
