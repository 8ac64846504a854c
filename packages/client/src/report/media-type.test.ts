import { expect, test } from 'vitest'
import { parseMediaType } from './media-type.ts'

test.each([
  ['text/csv', 'text/csv', []],
  ['Text/CSV; Charset=UTF-8', 'text/csv', [['charset', 'UTF-8']]],
  [
    'text/csv;charset="windows-1251" ; header=absent',
    'text/csv',
    [
      ['charset', 'windows-1251'],
      ['header', 'absent'],
    ],
  ],
])('reads %s', (text, essence, parameters) => {
  const parsed = parseMediaType(text)
  expect([parsed?.essence, [...(parsed?.parameters ?? [])]]).toEqual([essence, parameters])
})

test.each(['', '/', 'text', 'text/', 'text/csv, text/html', 'a b/c'])('refuses "%s"', (text) => {
  expect(parseMediaType(text)).toBe(undefined)
})
