import { expect, test } from 'vitest'
import { table } from './text.ts'

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
