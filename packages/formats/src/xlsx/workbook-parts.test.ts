import { expect, test } from 'vitest'
import { sheetNames } from './workbook-parts.ts'

test.each([
  ['Transactions', 'Transactions'],
  ["'Who/earns: [how]* much?\\'", 'Who earns how much'],
  ['', 'Rows'],
  ['history', 'Rows'],
  ['About', 'Rows'],
  ['x'.repeat(40), 'x'.repeat(31)],
  [`${'x'.repeat(30)}😀`, 'x'.repeat(30)],
  ['line\nbreak\u0000\ud83d', 'line break'],
])('names the sheet of the title %j %j', (title, name) => {
  expect(sheetNames(title, 1)).toEqual([name])
})

test('numbers further sheets within the longest name', () => {
  expect(sheetNames('x'.repeat(40), 3)).toEqual([
    'x'.repeat(31),
    `${'x'.repeat(29)} 2`,
    `${'x'.repeat(29)} 3`,
  ])
})
